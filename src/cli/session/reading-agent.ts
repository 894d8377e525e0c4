import { createAgent } from "../../agent/create-agent.js";
import { answerProtocol } from "../../retrieval/prompts/answer.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Threads } from "../../threads/open.js";

/**
 * Makes an agent that reads a thread and is never run. Only the agent of a thread reads its state, so this one has the name. It
 * speaks the protocol of retrieval agents; all other protocols are known.
 */
export function readingAgent({ checkpointer }: Threads, { graph }: Pick<ThreadSummary, "graph">) {
  const named = graph !== undefined && { name: graph };
  return createAgent({ model: "offline", protocol: answerProtocol, checkpointer, ...named });
}
