import { setMaxListeners } from "node:events";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isRecord } from "../base/is-record.js";
import { ABORT_SIGNALS_KEY } from "./names.js";

/**
 * Lets any number of calls listen to the signals of a node: each call adds a listener, and LangGraph adds one for each graph
 * in a tool. Node.js would warn of a leak from the eleventh on.
 */
export function allowManyListeners({ signal, configurable }: RunnableConfig): void {
  const known: unknown = configurable?.[ABORT_SIGNALS_KEY];
  const outer = isRecord(known) ? known.externalAbortSignal : undefined;
  for (const heard of [signal, outer]) if (heard instanceof AbortSignal) setMaxListeners(0, heard);
}
