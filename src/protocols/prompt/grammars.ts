import { isRecord } from "../../base/is-record.js";
import type { ReplyGrammar } from "../../core/parts/protocol.js";
import type { ToolSpec } from "../../tool-inputs/tool-spec.js";
import { takesPlainText } from "../input-forms.js";

/**
 * Makes the GBNF grammar of a reply. The reply answers or, if there are tools, uses one of them. Both llama.cpp and
 * vLLM decode under GBNF. The given rules may refer to the rules `line`, `text` (several lines) and `object` (of JSON).
 */
export function replyGrammar(tools: readonly ToolSpec[], rules: { act: string; answer: string }): ReplyGrammar {
  const root = tools.length > 0 ? `(${rules.act}) | (${rules.answer})` : rules.answer;
  const lines = Object.entries({ root, ...commonRules }).map(([name, rule]) => `${name} ::= ${rule}`);
  return { kind: "gbnf", gbnf: lines.join("\n") };
}

/** Makes the rule of a tool call. It has for each tool the name, the text `between`, and an input of its kind. */
export function toolCallRule(tools: readonly ToolSpec[], between: string): string {
  // GBNF escapes quotes, backslashes and line breaks as JSON does.
  const calls = tools.map(
    (tool) => `${JSON.stringify(tool.name + between)} ${takesPlainText(tool) ? "line" : "object"}`,
  );
  return `(${calls.join(" | ")})`;
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

/**
 * Makes the JSON schema of a reply with one action. The name of the action is that of a tool or "Final Answer". Its
 * input is a text or an object of a tool's parameters. The schema checks only the form, as each tool checks its own
 * input.
 */
export function jsonActionGrammar(tools: readonly ToolSpec[]): ReplyGrammar {
  const objects = tools.flatMap(({ parameters }) => (isStrict(parameters) ? [strict(parameters)] : []));
  const input = objects.length > 0 ? { anyOf: [{ type: "string" }, ...objects] } : { type: "string" };
  return {
    kind: "json-schema",
    schema: {
      type: "object",
      properties: {
        action: { type: "string", enum: [...tools.map((tool) => tool.name), "Final Answer"] },
        action_input: input,
      },
      required: ["action", "action_input"],
      additionalProperties: false,
    },
  };
}

/** Returns a schema in the form that OpenAI's strict mode takes, or undefined if that mode does not take it. */
export function strictSchema(schema: Schema): Schema | undefined {
  return isStrict(schema) ? strict(schema) : undefined;
}

type Schema = Readonly<Record<string, unknown>>;

/**
 * Tells whether OpenAI's strict mode takes a schema. It must name and require every property of every object. A tool with
 * optional parameters gets its object as JSON text instead.
 */
function isStrict(schema: unknown): schema is Schema {
  if (!isRecord(schema)) return false;
  if (schema.type === "array") return isStrict(schema.items);
  if (schema.type !== "object") return typeof schema.type === "string";
  const { properties, additionalProperties } = schema;
  if (!isRecord(properties) || isRecord(additionalProperties)) return false;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).every(([name, property]) => required.includes(name) && isStrict(property));
}

function strict(schema: Schema): Schema {
  if (schema.type === "array" && isRecord(schema.items)) return { ...schema, items: strict(schema.items) };
  if (schema.type !== "object" || !isRecord(schema.properties)) return schema;
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    isRecord(property) ? strict(property) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}
