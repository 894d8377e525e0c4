import { ambiguousBackslash, isAmbiguous } from "../../base/ambiguous-backslash.js";
import type { ParsedReply, ToolInput } from "../../core/state/decision.js";
import { canOmitInput } from "../input-forms.js";
import { fitted } from "./calls/arguments.js";
import type { PlacedCall } from "./calls/call-group.js";
import { type FoundCalls, findCalls } from "./calls/find-call.js";
import { asAnswer, ifShown, isExample, isMention, mayBeExample, unreadable } from "./calls/mention.js";
import { namelessArguments } from "./calls/nameless-arguments.js";
import { answerInWords } from "./evidence.js";
import { readReply } from "./read-reply.js";
import { withoutOpening } from "./thought.js";
import type { KnownTools, ToolNames } from "./tool-names.js";

/** Reads the text of a reply as the answer, or as calls that the server did not recognise. */
export function readText(text: string, names: ToolNames, tools: KnownTools): ParsedReply {
  const answer = text.trim();
  if (answer === "") return { kind: "unparseable", why: "It is empty: it has neither a tool call nor an answer." };
  const label = actionLabel.exec(text);
  const labelled = label ? readReply(text, tools, { objectInputs: true }) : undefined;
  if (label && labelled?.kind === "action" && labelled.actions.every(({ tool }) => names.names.includes(tool))) {
    const place = { start: label.index, end: label.index + label[0].length };
    const { ifShown: shown } = ifShown(text, place);
    if (shown ?? isExample(text.slice(0, place.start).trimEnd()))
      return { ...problem(mayBeExample), ...asAnswer(text, place) };
    const actions = labelled.actions.map((action) => ({
      ...action,
      toolInput: fitted(action.toolInput, names.spec(action.tool)),
    }));
    return { ...labelled, actions };
  }
  const found = findCalls(text, names);
  if (!found) return readWords(answer, tools, names);
  if ("cut" in found) return found.isForm ? { ...problem(unreadable), atLimit: answer } : answerInWords(answer, names);
  const [first] = found.calls;
  if (first?.call.kind === "answer" && isWhole(text, found)) {
    return first.call.output === "" ? problem("Its final answer is empty.") : finish(first.call.output);
  }
  const calls = found.calls.flatMap(({ call, ...place }) => (call.kind === "call" ? [{ ...place, ...call }] : []));
  const slip = found.calls.map(({ call }) => call).find((call) => call.kind === "slip");
  if (slip) return { ...problem(slip.why), ...(!found.isForm && asAnswer(text, found)) };
  if (calls.length === 0) return finish(answer);
  if (!found.isForm) {
    if (answersBefore(text, found.start)) return finish(answer);
    const unknown = calls.find(({ offered }) => !offered);
    if (unknown && names.names.length === 0) return finish(answer);
    if (unknown) return readUnknown(unknown.tool, text, found, names);
    if (isMention(text, found)) return { ...problem(mayBeExample), ...asAnswer(text, found) };
  }
  return makeCalls(calls, text, found, names);
}

/** The label with which a model that learned a text protocol begins a call, with a short thought before it. */
const actionLabel = /^(?:Thought: [^\0]{0,300}?\n)?[ \t*#]{0,9}Action\*{0,2}\s{0,9}[:：]/m;

function makeCalls(
  calls: readonly TextCall[],
  text: string,
  { start, end, isForm }: FoundCalls,
  names: ToolNames,
): ParsedReply {
  const empty = calls.find(({ tool, input }) => input === undefined && !canOmitInput(names.spec(tool) ?? tool, true));
  if (empty) return problem(`It calls ${empty.tool} without arguments.`);
  const log = text.slice(0, end).trimEnd();
  const actions = calls.map(({ tool, input = "", ...place }) => {
    const toolInput = fitted(input, names.spec(tool));
    return { tool, toolInput, log, written: text.slice(place.start, place.end).trim() };
  });
  if (actions.some(({ written, toolInput }) => isAmbiguous(written, toolInput))) return problem(ambiguousBackslash);
  const thought = withoutOpening(text.slice(0, start).trim());
  return { kind: "action", actions, ...(thought && { thought }), ...(!isForm && ifShown(text, { start, end })) };
}

type TextCall = Pick<PlacedCall, "start" | "end"> & { readonly tool: string; readonly input?: ToolInput };

/** Reads words without a call. JSON that is only the arguments of a tool may be a call without its name. */
function readWords(answer: string, tools: KnownTools, names: ToolNames): ParsedReply {
  if (answersBefore(answer, answer.length)) return finish(answer);
  const [, code] = unknownCode.exec(answer) ?? [];
  if (code !== undefined && names.names.length > 0 && names.match(code) === undefined)
    return { ...problem(noSuchTool(code, names)), ifRepeated: answer };
  const why = namelessArguments(answer, tools);
  return why === undefined ? answerInWords(answer, names) : { ...problem(why), ifRepeated: answer };
}

/** A reply that is one call in a program. */
const unknownCode = /^\[?((?=[\w\\]{1,100}[_.]\w)[a-z][\w.\\]{1,200}|[a-z]\w*(?=\(\w+=))\(.*\)[;\]]*$/is;

function finish(output: string): ParsedReply {
  return { kind: "finish", output };
}

function problem(why: string): ParsedReply & { readonly kind: "unparseable" } {
  return { kind: "unparseable", why };
}

function noSuchTool(tool: string, { names }: ToolNames): string {
  return `It calls ${JSON.stringify(tool)}, and there is no such tool. The tools are: ${names.join(", ")}.`;
}

/** Reads the call of a tool that is not offered. With other words around it, it may be an answer. */
function readUnknown(tool: string, text: string, found: FoundCalls, names: ToolNames): ParsedReply {
  return { ...problem(noSuchTool(tool, names)), ...(!isWhole(text, found) && { ifRepeated: text.trim() }) };
}

/** Tells whether the label of a final answer stands before a place. */
function answersBefore(text: string, start: number): boolean {
  return /^[ \t*#]{0,9}Final Answer\*{0,2}\s{0,9}[:：]/im.test(text.slice(0, start));
}

/** Tells whether the text has nothing around the JSON or the tags, other than a fence. */
function isWhole(text: string, { start, end }: FoundCalls): boolean {
  return !/[\p{L}\p{N}]/u.test(text.slice(0, start).replace(/```\w*\s*$/, "") + text.slice(end));
}
