import { isRecord } from "../../../base/is-record.js";
import { listParameters } from "../../../tool-inputs/parameters.js";
import type { ToolInput } from "../../../tool-inputs/tool-input.js";
import type { ToolSpec } from "../../../tool-inputs/tool-spec.js";
import { isFinishWord } from "../label-words.js";
import { isPlaceholder } from "../placeholders.js";
import type { ToolNames } from "../tool-names.js";
import { namedArguments } from "./arguments.js";
import { JsonReader } from "./json-reader.js";

/**
 * The meaning of a JSON value:
 *
 * - `call`: a tool call.
 * - `answer`: an answer.
 * - `none`: there is nothing to do.
 * - `slip`: a call that cannot be made. `why` says why.
 */
export type WrittenCall =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly offered: boolean;
      readonly input?: ToolInput;
      /** True for `action` and `action_input`: the blob of the text protocols. */
      readonly isBlob?: boolean;
    }
  | { readonly kind: "answer"; readonly output: string }
  | { readonly kind: "none" }
  | { readonly kind: "slip"; readonly why: string };

const toolKeys = "action tool toolname actionname functionname function name recipientname toolcall".split(" ");
const inputKeys = [
  ...["actioninput", "toolinput", "input", "args", "arguments", "parameters", "params", "kwargs", "actionargs"],
  ...["toolargs", "toolarguments", "actionparameters", "actionarguments", "functionarguments", "actionparams"],
];
const answerKey = "finalanswer";
const remarkKeys = ["thought", "thoughts", "reasoning", "observation", "type", "id", "plan", "reason", "rationale"];

/**
 * Reads the calls in a JSON value. It knows the forms of several APIs: `action` and `action_input`, `tool` and `args`,
 * `name` and `arguments`, `function: {…}`, `tool_calls: […]`, `{"search": {…}}`.
 */
export function readJsonCalls(value: unknown, tools: ToolNames): WrittenCall[] {
  if (Array.isArray(value)) return value.flatMap((item) => readJsonCalls(item, tools));
  if (!isRecord(value)) return [];
  const fields = new Map(Object.entries(value).map(([key, field]) => [foldKey(key), field]));
  const nested = readNested(fields, tools);
  if (nested.length > 0) return nested;
  if (isDefinition(fields))
    return [{ kind: "slip", why: "It copies the definition of a tool, with no values filled in." }];
  return [readNamed(fields, tools) ?? readAnswer(fields) ?? readKeyed(value, tools)].filter(
    (call) => call !== undefined,
  );
}

function foldKey(key: string): string {
  return key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

type Fields = ReadonlyMap<string, unknown>;

const nestedKeys = ["toolcalls", "toolcall", "functioncall", "function", "action", "tool", "actions", "calls"];

function readNested(fields: Fields, tools: ToolNames): WrittenCall[] {
  for (const key of nestedKeys) {
    const calls = readJsonCalls(fields.get(key), tools);
    if (calls.length > 0) return calls;
  }
  return [];
}

/** Tells whether JSON describes a tool: its parameters are a schema. */
function isDefinition(fields: Fields): boolean {
  return ["parameters", "inputschema"].some((key) => {
    const schema = fields.get(key);
    return isRecord(schema) && isRecord(schema.properties) && (schema.type === "object" || fields.has("description"));
  });
}

function readNamed(fields: Fields, tools: ToolNames): WrittenCall | undefined {
  const key = toolKeys.find((candidate) => fields.has(candidate));
  const written = key === undefined ? undefined : fields.get(key);
  if (key === undefined || (typeof written !== "string" && written !== null)) return undefined;
  const inputKey = inputKeys.find((candidate) => fields.has(candidate));
  const name = written?.trim() ?? "";
  if (isPlaceholder(name)) return undefined;
  if (isFinishWord(name) && !tools.names.includes(name)) return answerOf(fields, inputKey);
  const tool = tools.match(name);
  if (tool === undefined && /^(?:none|null|n\/a|no action.*|)$/i.test(name)) return { kind: "none" };
  if (tool === undefined && !namesCall(key, inputKey)) return undefined;
  const spec = tools.spec(name);
  if (key === "name" && inputKey === undefined && !hasArgument(fields, spec)) return undefined;
  const given = inputKey === undefined ? undefined : fields.get(inputKey);
  if (isWritten(inputKey) && breaksOff(given)) return { kind: "slip", why: "Its arguments break off." };
  const input = inputKey === undefined ? otherFields(fields, key) : toInput(given, inputKey, spec);
  const isBlob = key === "action" && inputKey === "actioninput";
  return {
    kind: "call",
    tool: tool ?? name,
    offered: tool !== undefined,
    ...(input !== undefined && { input }),
    ...(isBlob && { isBlob }),
  };
}

/** Tells whether a key holds arguments that some models write as JSON in a string. */
function isWritten(inputKey: string | undefined): boolean {
  return inputKey === "arguments" || inputKey === "parameters";
}

/** Tells whether arguments in a string are JSON that has no end. */
function breaksOff(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("{") && new JsonReader(value).endOf(0) === undefined;
}

/**
 * Tells whether a key names a call of an unknown tool. Any JSON may have a `name`: it counts only with arguments beside
 * it.
 */
function namesCall(key: string, inputKey: string | undefined): boolean {
  if (key === "name") return inputKey === "arguments" || inputKey === "parameters" || inputKey === "args";
  return inputKey !== undefined || key === "action";
}

function answerOf(fields: Fields, inputKey: string | undefined): WrittenCall {
  const output = inputKey === undefined ? fields.get("output") : fields.get(inputKey);
  return { kind: "answer", output: answerText(output) };
}

/** Returns an answer as text: the text in `{"answer": "…"}`, and other JSON as it is. */
export function answerText(output: unknown): string {
  return toText(onlyValue(output));
}

/** Returns the text in `{"answer": "…"}`. */
function onlyValue(output: unknown): unknown {
  if (!isRecord(output)) return output;
  const [entry, ...others] = Object.entries(output);
  const isAnswer =
    entry && ["answer", "finalanswer", "output", "response", "result", "text"].includes(foldKey(entry[0]));
  return isAnswer && others.length === 0 ? entry[1] : output;
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value.trim() : JSON.stringify(value);
}

/** Reads an input. OpenAI writes `arguments` as JSON in a string. */
function toInput(value: unknown, key: string, tool: ToolSpec | undefined): ToolInput | undefined {
  if (isRecord(value)) return value;
  if (value === null || value === undefined) return undefined;
  if (typeof value !== "string") return JSON.stringify(value);
  const object = isWritten(key) ? new JsonReader(value).read(value) : undefined;
  return isRecord(object) ? object : (namedArguments(value, tool) ?? value.trim());
}

/** Tells whether JSON with a `name` has an argument of the tool beside it, or nothing. Any data may have a `name`. */
function hasArgument(fields: Fields, tool: ToolSpec | undefined): boolean {
  const parameters = listParameters(tool?.parameters);
  const others = [...fields.keys()].filter((key) => key !== "name" && !remarkKeys.includes(key));
  return (
    others.length === 0 || parameters.length === 0 || parameters.some(({ name }) => others.includes(foldKey(name)))
  );
}

/** Returns the arguments beside the name: `{"tool": "search", "query": "x"}`. */
function otherFields(fields: Fields, toolKey: string): ToolInput | undefined {
  const entries = [...fields].filter(([key]) => key !== toolKey && !remarkKeys.includes(key));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function readAnswer(fields: Fields): WrittenCall | undefined {
  const others = [...fields.keys()].filter(
    (field) => field !== answerKey && ![...remarkKeys, ...toolKeys, ...inputKeys].includes(field),
  );
  if (!fields.has(answerKey) || others.length > 0) return undefined;
  const output = toText(fields.get(answerKey));
  return output === "" ? undefined : { kind: "answer", output };
}

/** Reads a call with the tool's name as its only key: `{"search": {"query": "x"}}`. */
function readKeyed(value: Record<string, unknown>, tools: ToolNames): WrittenCall | undefined {
  const [entry, ...others] = Object.entries(value).filter(([key]) => !remarkKeys.includes(foldKey(key)));
  if (!entry || others.length > 0) return undefined;
  const tool = tools.match(entry[0]);
  const input = tool === undefined ? undefined : toInput(entry[1], "arguments", tools.spec(tool));
  return tool === undefined
    ? undefined
    : { kind: "call", tool, offered: true, ...(input === undefined ? {} : { input }) };
}
