import type { ToolSpec } from "./protocol.js";
import { takesPlainText } from "./tool-input.js";

/** A text that a grammar asks for to the letter. GBNF escapes quotes, backslashes and line breaks as JSON does. */
export function literal(text: string): string {
  return JSON.stringify(text);
}

/** A tool's name, what stands between it and its input, and an input of its kind, for each of the tools. */
export function toolCallRule(tools: readonly ToolSpec[], between: string): string {
  return tools.map((tool) => `${literal(tool.name + between)} ${takesPlainText(tool) ? "line" : "object"}`).join(" | ");
}

/**
 * A grammar in GBNF, the form that llama.cpp decodes under and that vLLM's xgrammar takes too: the given rules, and those
 * for lines, running text and JSON objects.
 */
export function gbnf(rules: Readonly<Record<string, string>>): string {
  return Object.entries({ ...rules, ...commonRules })
    .map(([name, rule]) => `${name} ::= ${rule}`)
    .join("\n");
}

const commonRules = {
  line: "[^\\n]+",
  text: '[^\\n]+ ("\\n" [^\\n]*)*',
  object: '"{" space (member ("," space member)*)? "}"',
  member: 'string space ":" space value',
  array: '"[" space (value ("," space value)*)? "]"',
  value: '(object | array | string | number | "true" | "false" | "null") space',
  string: '"\\"" ([^"\\\\\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\\""',
  number: '"-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?',
  space: "[ \\n\\t]*",
};
