import type { Run } from "../engine/run-engine.js";
import { assistantIdOf, graphMetadata } from "../wire/assistant-form.js";

/** Returns a run in the form of LangGraph's server. */
export function runForm(run: Run): Record<string, unknown> {
  const { given } = run;
  return {
    run_id: run.id,
    thread_id: run.thread,
    assistant_id: assistantIdOf(run.graph),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    ...(run.by !== undefined && { by: run.by }),
    status: run.status,
    metadata: { ...run.metadata, ...graphMetadata(run.graph) },
    multitask_strategy: run.strategy,
    kwargs: {
      input: given.input ?? null,
      command: given.command,
      config: given.config ?? {},
      context: given.context ?? {},
      checkpoint: given.checkpoint,
      stream_mode: given.streamMode,
      subgraphs: given.subgraphs,
      interrupt_before: given.interruptBefore,
      interrupt_after: given.interruptAfter,
      durability: given.durability,
      temporary: run.temporary,
      resumable: true,
    },
    ...(run.error && { error: run.error }),
  };
}
