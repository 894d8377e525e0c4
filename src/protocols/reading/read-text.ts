import type { ParsedReply } from "../../core/state/decision.js";
import { fitted } from "./calls/arguments.js";
import { findCalls } from "./calls/find-call.js";
import { asAnswer, ifShown, isAlone, isExample, mayBeExample } from "./calls/mention.js";
import { answerInWords } from "./evidence.js";
import { finish, type Outcome, parsedAs, problem, type Reading, said } from "./outcome.js";
import { readFound } from "./read-prose.js";
import { readReply } from "./read-reply.js";
import type { Section } from "./sections/sections.js";
import type { ToolNames } from "./tool-names.js";

/** Reads the text of a reply as the answer, or as calls that the server did not recognise. */
export function readText(text: string, names: ToolNames): ParsedReply {
  const section = { kind: "text", value: text, start: 0, end: text.length } as const;
  const reply = { text, stillThinking: false };
  const reading = { reply, sections: [section], names, options: { isNative: true } };
  return parsedAs(readLabelled(text, names) ?? readSpoken(reading, section));
}

/** The label with which a model that learned a text protocol begins a call, with a short thought before it. */
const actionLabel = /^(?:Thought: [^\0]{0,300}?\n)?[ \t*#]{0,9}Action\*{0,2}\s{0,9}[:：]/m;

function readLabelled(text: string, names: ToolNames): Outcome | undefined {
  const label = actionLabel.exec(text);
  const parsed = label ? readReply(text, names.tools, { objectInputs: true }) : undefined;
  if (!label || parsed?.kind !== "action" || !parsed.actions.every(({ tool }) => names.names.includes(tool)))
    return undefined;
  const place = { start: label.index, end: label.index + label[0].length };
  if (ifShown(text, place).ifShown ?? isExample(text.slice(0, place.start).trimEnd()))
    return { ...problem(mayBeExample), ...asAnswer(text, place) };
  const actions = parsed.actions.map((action) => ({
    ...action,
    toolInput: fitted(action.toolInput, names.spec(action.tool)),
  }));
  return { kind: "step", parsed: { ...parsed, actions }, whole: true };
}

function readSpoken(reading: Reading, section: Section): Outcome {
  const { names } = reading;
  const text = section.value;
  const answer = text.trim();
  if (answer === "") return problem("It is empty: it has neither a tool call nor an answer.");
  const found = findCalls(text, names);
  if (!found) return readWords(answer, names);
  if ("cut" in found) return found.isForm ? readFound(reading, section, found) : answerInWords(answer, names);
  const calls = found.calls.map(({ call }) => call);
  const alone = isAlone(text, found);
  if (calls[0]?.kind === "answer" && alone) return finish(reading, calls[0].output, { start: 0, whole: true });
  if (!calls.some(({ kind }) => kind === "call" || kind === "slip")) return said(answer);
  if (found.isForm) return readFound(reading, section, found);
  const unknown = calls.find((call) => call.kind === "call" && !call.offered);
  if (answersBefore(text, found.start) || (unknown && names.names.length === 0)) return said(answer);
  if (unknown?.kind === "call") return { ...noSuchTool(unknown.tool, names), ...(!alone && { ifRepeated: answer }) };
  return readFound(reading, section, found);
}

/** Reads words without a call. JSON that is only the arguments of a tool may be a call without its name. */
function readWords(answer: string, names: ToolNames): Outcome {
  if (answersBefore(answer, answer.length)) return said(answer);
  const [, code] = unknownCode.exec(answer) ?? [];
  if (code !== undefined && names.names.length > 0 && names.match(code) === undefined)
    return { ...noSuchTool(code, names), ifRepeated: answer };
  return answerInWords(answer, names);
}

/** A reply that is one call in a program. */
const unknownCode = /^\[?((?=[\w\\]{1,100}[_.]\w)[a-z][\w.\\]{1,200}|[a-z]\w*(?=\(\w+=))\(.*\)[;\]]*$/is;

function noSuchTool(tool: string, { names }: ToolNames) {
  return problem(`It calls ${JSON.stringify(tool)}, and there is no such tool. The tools are: ${names.join(", ")}.`);
}

/** Tells whether the label of a final answer stands before a place. */
function answersBefore(text: string, start: number): boolean {
  return /^[ \t*#]{0,9}Final Answer\*{0,2}\s{0,9}[:：]/im.test(text.slice(0, start));
}
