import type { Run } from "../engine/run-engine.js";
import { assistantIdOf } from "./assistant-form.js";

/** Returns a run in the form of LangGraph's server. */
export function runForm(run: Run): Record<string, unknown> {
  const { given } = run;
  return {
    run_id: run.id,
    thread_id: run.thread,
    assistant_id: assistantIdOf(run.graph),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    status: run.status,
    metadata: { graph_id: run.graph, assistant_id: assistantIdOf(run.graph), ...run.metadata },
    multitask_strategy: run.strategy,
    kwargs: {
      input: given.input ?? null,
      command: given.command ?? null,
      config: given.config ?? {},
      context: given.context ?? {},
      checkpoint: given.checkpoint ?? null,
      stream_mode: given.streamMode,
      subgraphs: given.subgraphs,
      interrupt_before: given.interruptBefore ?? null,
      interrupt_after: given.interruptAfter ?? null,
      durability: given.durability ?? null,
      temporary: run.temporary,
      resumable: true,
    },
    ...(run.error && { error: run.error }),
  };
}
