import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { messagesAt } from "../../graph/starting-point.js";
import { RequestError } from "../wire/request-error.js";
import type { RunOrder } from "./run-engine.js";
import type { ServedGraph } from "./served-graph.js";

/** The newest checkpoint of a thread, and what was said up to it. */
interface ThreadHead {
  readonly checkpoint: string | undefined;
  readonly said: readonly BaseMessage[];
}

/** Reads the newest checkpoint of a thread. */
export async function readHead({ checkpointer }: ServedGraph, thread: string): Promise<ThreadHead> {
  const tuple =
    typeof checkpointer === "object" ? await checkpointer.getTuple({ configurable: { thread_id: thread } }) : undefined;
  return { checkpoint: tuple?.checkpoint.id, said: tuple ? messagesAt(tuple) : [] };
}

/** Refuses messages that would take the place of others. @throws RequestError 403 */
export function refuseSaid(messages: readonly { readonly id?: unknown }[], { said }: ThreadHead): void {
  const ids = new Set(said.map(({ id }) => id));
  const known = messages.find(({ id }) => typeof id === "string" && ids.has(id));
  if (known !== undefined) throw new RequestError(403, `The message "${known.id}" was said already. Give a new id.`);
}

/**
 * Tells whether a run brings only messages that were said, up to the newest question. LangGraph calls a `RemoteGraph` node with them
 * again when a person has decided: the run goes on with that question, or gets its answer.
 */
export async function isSaidAgain({ given, onlyAsks, thread }: RunOrder, graph: ServedGraph): Promise<boolean> {
  const messages = againSchema.safeParse(given).data?.input.messages;
  if (messages === undefined || onlyAsks) return false;
  const { said } = await readHead(graph, thread);
  const contents = new Map(said.map(({ id, content }) => [id, content]));
  const question = said.findLast((message) => message.getType() === "human");
  const isSaid = messages.every(({ id, content }) => isDeepStrictEqual(contents.get(id), content));
  return isSaid && messages.at(-1)?.id === question?.id;
}

const saidSchema = z.looseObject({ id: z.string(), content: z.unknown() });
/** A run from a checkpoint of the past, or with a command, is another one. */
const againSchema = z.object({
  input: z.strictObject({ messages: z.array(saidSchema).min(1) }),
  command: z.null().optional(),
  checkpoint: z.null().optional(),
});
