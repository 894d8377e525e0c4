import { openingSigns } from "../../forms/form-signs.js";
import type { ToolNames } from "../tool-names.js";
import { type CallGroup, joined } from "./call-group.js";
import { codeGroups, namedObjects } from "./code-calls.js";
import { FormReader } from "./form-calls.js";
import { type CutJson, jsonGroups } from "./json-groups.js";
import { JsonReader } from "./json-reader.js";
import { isInFence } from "./mention.js";

/** Calls in a text. `isForm` says that they have the signs of a form: they are calls wherever they stand. */
export interface FoundCalls extends CallGroup {
  readonly isForm: boolean;
}

/** A call that breaks off in the middle of a value, or signs around calls in which none can be read. */
export interface CutCall extends CutJson {
  readonly isForm: boolean;
}

/** The signs of all calls. Each call has one, and most thoughts have none. */
const beginsCall = /[<{[("'>]|functions/;

/**
 * Finds the first calls without a label. Calls in the signs of a form come first. Other calls are JSON, or `tool(input)` on a line of
 * its own.
 */
export function findCalls(text: string, tools: ToolNames): FoundCalls | CutCall | undefined {
  if (!beginsCall.test(text)) return undefined;
  const bare = findBare(text, tools);
  if (bare && !("cut" in bare) && bare.isForm) return bare;
  const form = findForm(text, tools, bare);
  if (!form || !bare) return form ?? bare;
  if (!("cut" in form) && !("cut" in bare) && form.start >= bare.end) {
    if (withoutClosings(text.slice(bare.end, form.start)) === "") return { ...joined(bare, form), isForm: form.isForm };
  }
  return form.isForm || form.start < bare.start ? form : bare;
}

/** A sentence that goes on right after calls: `<tool_call>…</tool_call>, as you see`. */
const goesOn = /^[.,;:!?。，；](?=\s|$)[\s\S]*[\p{L}\p{N}]/u;

function withoutClosings(text: string): string {
  return text.replaceAll(/<\/[\w:|]{1,40}>|[\s`]/g, "");
}

/** Finds the calls in the signs of a form. In a fence they are no form, and inside of other calls they are none. */
function findForm(
  text: string,
  tools: ToolNames,
  bare: FoundCalls | CutCall | undefined,
): FoundCalls | CutCall | undefined {
  let unread: CutCall | undefined;
  let fenced: FoundCalls | undefined;
  let form: FoundCalls | undefined;
  let [fences, place] = [0, 0];
  for (const group of new FormReader(text, tools, new JsonReader(text)).groups()) {
    if (!form && bare && !("cut" in bare) && group.start > bare.start && group.start < bare.end) continue;
    if (form && result.test(text.slice(form.end, group.start))) break;
    fences += text.slice(place, group.start).split("```").length - 1;
    place = group.start;
    const isForm = fences % 2 === 0;
    if (isQuoted(text, group.start, isForm)) continue;
    if ("cut" in group) {
      if (isForm && form) return { ...group, isForm };
      unread ??= isForm ? { ...group, isForm } : undefined;
    } else if (isForm) form = { ...(form ? joined(form, group) : group), isForm };
    else fenced ??= { ...group, isForm };
  }
  if (form && goesOn.test(text.slice(form.end, form.end + 300))) return { ...form, isForm: false };
  return form ?? unread ?? fenced;
}

/**
 * Tells whether signs are only quoted: in quotation marks or backticks, or, for tokens, in a code fence, because no model
 * writes its own tokens there.
 */
function isQuoted(text: string, start: number, isForm: boolean): boolean {
  const before = text.slice(Math.max(0, start - 3), start);
  return (
    (/[`"'“‘«]$/.test(before) && before !== "```") || (!isForm && /^(?:<[|｜]|\[)/.test(text.slice(start, start + 2)))
  );
}

/** The result of a call, which a model invents. All after it is invented, too. */
const result =
  /<\/?(?:tool_response|tool_result|function_results?|start_function_response)>|<\|tool_response|^[\s*#]{0,9}(?:observation|(?:tool |function )?(?:result|response|output))s?\*{0,2}\s{0,9}[:：]/im;

function findBare(text: string, tools: ToolNames): FoundCalls | CutCall | undefined {
  const found = [
    findJson(text, tools),
    following(codeGroups(text, tools), text),
    namedObjects(text, tools).next().value,
    findAnswerTag(text),
  ].filter((group) => group !== undefined);
  const [first] = found.sort((one, other) => one.start - other.start);
  if (first === undefined) return undefined;
  return { isForm: false, ...first, ...(isInFence(text, first.start) && { isForm: false }) };
}

/** Finds the first JSON that is a call, with those that follow it. Data counts only without any call. */
function findJson(text: string, tools: ToolNames): CallGroup | CutJson | undefined {
  let cut: CutJson | undefined;
  let group: CallGroup | undefined;
  for (const found of jsonGroups(text, tools)) {
    if ("cut" in found) cut ??= found;
    else if (!found.isNested) {
      if (!group || isData(group)) group = isData(found) ? (group ?? found) : found;
      else if (betweenPieces.test(text.slice(group.end, found.start))) group = joined(group, found);
      else break;
    }
  }
  return group ?? cut;
}

const betweenPieces =
  /^(?:<\/\w{1,40}>|[\s,;`\]])*(?:\*{0,2}tool[ _]call:?\*{0,2}:?\s*)?`{0,3}(?:(?<=```)\w{1,20})?[\s[]*$/i;

/** Tells whether JSON may be data: the definition of a tool, or an object without a name. */
function isData({ calls }: CallGroup): boolean {
  return calls.every(({ call: { kind } }) => kind === "slip" || kind === "none");
}

/** Returns the first group, with those that follow it and nothing but signs between. */
function following<T extends CallGroup>(groups: Generator<T>, text: string): T | undefined {
  let first: T | undefined;
  for (const group of groups) {
    if (first && /[^\s,;+`*]/.test(text.slice(first.end, group.start))) return first;
    first = first ? { ...first, ...joined(first, group) } : group;
  }
  return first;
}

/** Returns the places of all calls in a text, and of answers in JSON. */
export function callPlaces(text: string, tools: ToolNames): number[] {
  if (!beginsCall.test(text)) return [];
  const all = Number.POSITIVE_INFINITY;
  const found = [...jsonGroups(text, tools, true), ...codeGroups(text, tools, all), ...namedObjects(text, tools, all)];
  const places = found
    .filter((group) => "cut" in group || group.calls.some(({ call: { kind } }) => kind !== "none"))
    .flatMap((group) => [group.start, ...("cut" in group ? [] : group.calls.map(({ start }) => start))]);
  return places.flatMap((start) => [...codeFenceBefore(text, start), start]);
}

/** Returns the place of a Markdown fence that opens right before a call. */
function codeFenceBefore(text: string, start: number): number[] {
  const before = text.slice(Math.max(0, start - 40), start);
  const [fence] = /(?:```|''')\w{0,12}\s{0,20}$/.exec(before) ?? [];
  return fence === undefined ? [] : [start - fence.length];
}

const answerTag =
  /(?<!\[)<(final_answer|answer|FINAL_ANSWER)>([\s\S]*?)(<\/\1>|$)|^\s*<(response)>([\s\S]*?)(<\/response>|$)/;

/** Finds an answer in a tag: `<final_answer>42</final_answer>`. Signs of calls in it are calls. */
function findAnswerTag(text: string): FoundCalls | undefined {
  const match = answerTag.exec(text);
  const output = (match?.[2] ?? match?.[5] ?? "").trim();
  if (!match || !/[\p{L}\p{N}]/u.test(output) || openingSigns.some((sign) => output.includes(sign))) return undefined;
  const place = { start: match.index, end: match.index + match[0].length };
  const whole = (match[3] ?? match[6]) !== "";
  return { calls: [{ call: { kind: "answer", output }, ...place }], ...place, whole, isForm: true };
}
