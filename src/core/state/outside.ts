import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { inOneLine, shorten } from "../../base/shorten.js";
import { withContent } from "../../langgraph/message-form.js";

export const outsideTextSchema = z.object({ source: z.string(), since: z.string() });

/**
 * Text from outside, which may try to give orders. `source` is the tool, the file or the agent that brought it into a thread.
 * `since` is the time at which the turn began that brought it (ISO 8601, UTC).
 */
export interface OutsideText extends z.infer<typeof outsideTextSchema> {}

const outsideSchema = z.array(outsideTextSchema).catch([]);

/** Reads the text from outside in a stored state. There is none in a state of another graph. */
export function readOutside(stored: unknown): OutsideText[] {
  return outsideSchema.parse(stored);
}

/** Names text from outside that came in a turn. */
export function outsideText(source: string, { startedAt: since }: { readonly startedAt: string }): OutsideText {
  return { source: shorten(inOneLine(source), 100), since };
}

/** The most sources that a thread names. Others can make up as many names as they like. */
const mostSources = 20;

/** Adds texts to those that are known: the first of each source. */
export function joinOutside(known: readonly OutsideText[], found: readonly OutsideText[]): OutsideText[] {
  if (found.length === 0) return [...known];
  const sources = new Map(known.map((text) => [text.source, text]));
  for (const text of found) if (!sources.has(text.source)) sources.set(text.source, text);
  return [...sources.values()].slice(0, mostSources);
}

const saidSchema = z.object({ outside: z.array(outsideTextSchema.partial({ since: true })) });

/**
 * Returns the sources of text from outside that a message lists in `response_metadata.outside`. Each message of a Glassloop
 * agent has this list, so that other agents know the sources. A message without the list is from outside itself.
 *
 * @param turn The turn in which the message came. A program that marks a question need not know it.
 */
export function outsideOf({ response_metadata }: BaseMessage, turn: { readonly startedAt: string }) {
  const said = saidSchema.safeParse(response_metadata).data;
  return said?.outside.map(({ source, since = turn.startedAt }) => outsideText(source, { startedAt: since }));
}

/** Returns a message with the list of text from outside that its agent read. An existing list is extended. */
export function withOutside(message: BaseMessage, outside: readonly OutsideText[]): BaseMessage {
  const copy = withContent(message, message.content);
  const said = saidSchema.safeParse(message.response_metadata).data?.outside ?? [];
  copy.response_metadata = { ...message.response_metadata, outside: [...said, ...outside] };
  return copy;
}
