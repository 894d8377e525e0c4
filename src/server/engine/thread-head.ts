import { messagesAt } from "../../core/graph/starting-point.js";
import { RequestError } from "../wire/request-error.js";
import type { ServedGraph } from "./served-graph.js";

/** The newest checkpoint of a thread, and the ids of what was said up to it. */
interface ThreadHead {
  readonly checkpoint: string | undefined;
  readonly said: ReadonlySet<unknown>;
}

/** Reads the newest checkpoint of a thread. */
export async function readHead({ checkpointer }: ServedGraph, thread: string): Promise<ThreadHead> {
  const tuple =
    typeof checkpointer === "object" ? await checkpointer.getTuple({ configurable: { thread_id: thread } }) : undefined;
  const said = tuple ? messagesAt(tuple).map(({ id }) => id) : [];
  return { checkpoint: tuple?.checkpoint.id, said: new Set(said) };
}

/** Refuses messages that would take the place of others. @throws RequestError 403 */
export function refuseSaid(messages: readonly { readonly id?: unknown }[], { said }: ThreadHead): void {
  const known = messages.find(({ id }) => typeof id === "string" && said.has(id));
  if (known !== undefined) throw new RequestError(403, `The message "${known.id}" was said already. Give a new id.`);
}
