import { setMaxListeners } from "node:events";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isRecord } from "../base/is-record.js";
import { ABORT_SIGNALS_KEY } from "./names.js";

/**
 * Lets any number of calls listen to the signals of a node. Each call does, and so does LangGraph for each graph in a tool.
 * Node.js would warn of a leak if there are more than ten.
 */
export function allowManyListeners({ signal, configurable }: RunnableConfig): void {
  const known: unknown = configurable?.[ABORT_SIGNALS_KEY];
  const outer = isRecord(known) ? known.externalAbortSignal : undefined;
  for (const heard of [signal, outer]) if (heard instanceof AbortSignal) setMaxListeners(0, heard);
}
