import { takesPlainText } from "../input-forms.js";
import type { ReplyGrammar, ToolSpec } from "../protocol.js";

/**
 * A grammar in GBNF, the form that llama.cpp decodes under and that vLLM takes too, of a reply that uses a tool (where there
 * are tools) or answers. The rules given may refer to `line`, `text` (several lines) and `object` (of JSON).
 */
export function replyGrammar(tools: readonly ToolSpec[], rules: { act: string; answer: string }): ReplyGrammar {
  const root = tools.length > 0 ? `(${rules.act}) | (${rules.answer})` : rules.answer;
  const lines = Object.entries({ root, ...commonRules }).map(([name, rule]) => `${name} ::= ${rule}`);
  return { kind: "gbnf", gbnf: lines.join("\n") };
}

/** A tool's name, what stands between it and its input, and an input of its kind, for each of the tools. */
export function toolCallRule(tools: readonly ToolSpec[], between: string): string {
  const calls = tools.map((tool) => `${literal(tool.name + between)} ${takesPlainText(tool) ? "line" : "object"}`);
  return `(${calls.join(" | ")})`;
}

/** A text that a grammar asks for to the letter. GBNF escapes quotes, backslashes and line breaks as JSON does. */
function literal(text: string): string {
  return JSON.stringify(text);
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
