import { isDeepStrictEqual } from "node:util";
import type { AIMessage } from "@langchain/core/messages";
import { z } from "zod";
import { mapTexts } from "../../base/map-texts.js";
import { callBlocks } from "../../content/content.js";
import type { ContentBlock } from "../../content/content-block.js";
import { type AgentAction, callIdOf, type GivenMessage, type Reply } from "../state/decision.js";

/** The fields of an AI message that a reply gives. */
type Fields = Pick<AIMessage, "content" | "additional_kwargs" | "response_metadata" | "usage_metadata">;

/**
 * Returns the fields of a reply whose calls are made, as the provider gave them. Only what does not hold any more is written anew: the
 * ids of calls that the conversation has already, and calls that were mended or read in the text.
 */
export function followedMessage(reply: Reply, actions: readonly AgentAction[], thought: string): Fields {
  const { message = {}, toolCalls, invalidToolCalls, text } = reply;
  const isFromText = toolCalls.length + invalidToolCalls.length === 0;
  if (isFromText) return fieldsOf(withoutCalls(message, thought), thought);
  const calls = callsOf(reply, actions);
  const ids = new Map(actions.map((action, n) => [calls[n]?.id, callIdOf(action)]));
  const given = mapTexts(message, (text) => ids.get(text) ?? text);
  const isWhole = invalidToolCalls.length === 0 && toolCalls.length === actions.length;
  return fieldsOf(isWhole ? given : withoutCalls(given), text);
}

/** Returns the calls of a reply that its actions make. A call for the output makes none, and one that was mended is not among them. */
export function callsOf(
  { toolCalls }: Reply,
  actions: readonly AgentAction[],
): readonly (Reply["toolCalls"][number] | undefined)[] {
  let from = 0;
  return actions.map(({ callId, toolInput }) => {
    const isMade = ({ id, args }: Reply["toolCalls"][number]) =>
      (callId === undefined || callId === id) && isDeepStrictEqual(args, toolInput);
    const place = toolCalls.findIndex((call, n) => n >= from && isMade(call));
    from = Math.max(from, place + 1);
    return toolCalls[place];
  });
}

/**
 * Returns the fields of a reply that is an answer. Words that are no part of the answer, such as labels, are left out, and so is
 * white space around it.
 */
export function saidMessage(reply: Reply, answer: string): Fields {
  const { message = {}, toolCalls, text } = reply;
  const isWhole = toolCalls.length === 0 && text.trim() === answer;
  if (!isWhole) return fieldsOf(withoutCalls(message, answer), answer);
  const { content } = message;
  const isSame = content === undefined || text === answer;
  return fieldsOf(isSame ? message : { ...message, content: trimmed(content) }, answer);
}

/** Takes the white space out that stands before the first word and after the last one. */
function trimmed(content: readonly ContentBlock[]): ContentBlock[] {
  const texts = content.map(({ type, text }) => (type === "text" && typeof text === "string" ? text : undefined));
  const first = texts.findIndex((text) => text?.trim());
  const last = texts.findLastIndex((text) => text?.trim());
  return content.flatMap((block, n) => {
    const text = texts[n];
    if (text === undefined) return [block];
    const start = n === first ? text.trimStart() : text;
    const kept = n === last ? start.trimEnd() : start;
    return n < first || n > last ? [] : [kept === text ? block : { ...block, text: kept }];
  });
}

const usageSchema = z.object({ input_tokens: z.number(), output_tokens: z.number(), total_tokens: z.number() }).loose();

function fieldsOf(
  { content, additional_kwargs = {}, response_metadata = {}, usage_metadata }: GivenMessage,
  text: string,
): Fields {
  const usage = usageSchema.safeParse(usage_metadata).data;
  return { content: content ?? text, additional_kwargs, response_metadata, ...(usage && { usage_metadata: usage }) };
}

/**
 * Returns a message without what holds calls as they were written. Signed blocks stay. OpenAI's `output` is removed, because
 * it would be sent verbatim, and with it the ids that are valid only together with it.
 *
 * @param words The words in place of the text. Default: the text stays.
 */
function withoutCalls(
  { content, additional_kwargs, response_metadata, ...given }: GivenMessage,
  words?: string,
): GivenMessage {
  const { output, ...metadata } = response_metadata ?? {};
  const { tool_calls, reasoning, __openai_function_call_ids__: ids, ...kwargs } = additional_kwargs ?? {};
  const kept = content?.filter(({ type }) => !callBlocks.has(type) && !(words !== undefined && type === "text"));
  const said: ContentBlock[] = words ? [{ type: "text", text: words }] : [];
  return {
    ...given,
    ...(kept && kept.length > 0 && { content: [...kept, ...said] }),
    // Some servers give their reasoning as a text, and take it back. A record is a part of OpenAI's `output`.
    additional_kwargs: { ...kwargs, ...(typeof reasoning === "string" && { reasoning }) },
    response_metadata: metadata,
  };
}
