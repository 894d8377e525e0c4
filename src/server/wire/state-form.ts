import type { StateSnapshot } from "@langchain/langgraph";
import { z } from "zod";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";

/** A config that names a thread, and may name a checkpoint. */
export const placeSchema = z.object({
  configurable: z.object({
    thread_id: z.string(),
    checkpoint_id: z.string().nullish(),
    checkpoint_ns: z.string().nullish(),
    checkpoint_map: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/** Returns the place of a checkpoint, as clients name it; null if there is none. */
export function checkpointForm(config: unknown) {
  const read = placeSchema.safeParse(config);
  if (!read.success) return null;
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = read.data.configurable;
  if (!checkpoint_id && !checkpoint_ns) return null;
  return {
    thread_id,
    ...(checkpoint_id && { checkpoint_id }),
    checkpoint_ns: checkpoint_ns ?? "",
    checkpoint_map: checkpoint_map ?? null,
  };
}

/** Returns a state in the form of LangGraph's server. */
export function stateForm(snapshot: StateSnapshot): Record<string, unknown> {
  return {
    values: snapshot.values,
    next: snapshot.next,
    tasks: snapshot.tasks.map(taskForm),
    metadata: snapshot.metadata,
    created_at: snapshot.createdAt ?? null,
    checkpoint: checkpointForm(snapshot.config),
    parent_checkpoint: checkpointForm(snapshot.parentConfig),
  };
}

function taskForm({ id, name, error, interrupts, path, state, ...task }: StateSnapshot["tasks"][number]) {
  const isSnapshot = state !== undefined && "values" in state;
  return {
    id,
    name,
    error: errorForm(error),
    interrupts,
    path,
    checkpoint: isSnapshot ? null : checkpointForm(state),
    state: isSnapshot ? stateForm(state) : null,
    result: "result" in task ? (task.result ?? null) : null,
  };
}

/** An error is a text: of what LangGraph kept of it, as JSON. It may have come from anywhere, so it is told without secrets. */
function errorForm(error: unknown): string | null {
  if (error === undefined || error === null) return null;
  const kept = error instanceof Error ? { message: error.message, name: error.name } : error;
  return withoutSecretForms(typeof kept === "string" ? kept : JSON.stringify(kept));
}
