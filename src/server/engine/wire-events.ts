import { z } from "zod";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { checkpointForm as placeForm } from "../wire/thread-state.js";
import type { RunInput } from "./run-engine.js";

/** An event of a run on the wire: its name, and its data before it becomes JSON. */
interface WireEvent {
  readonly event: string;
  readonly data: unknown;
}

const chunkSchema = z.union([
  z.tuple([z.array(z.string()), z.string(), z.unknown()]),
  z.tuple([z.string(), z.unknown()]).transform(([mode, data]): [string[], string, unknown] => [[], mode, data]),
]);

/** Returns the events that a chunk of LangGraph's stream is for the readers of a run. */
export function wireEvents(chunk: unknown, { streamMode }: RunInput): WireEvent[] {
  const [namespace, mode, data] = chunkSchema.parse(chunk);
  // The older mode "messages" is made of both when it is read.
  const isAsked =
    streamMode.includes(mode) ||
    (mode === "messages" && streamMode.includes("messages-tuple")) ||
    (mode === "values" && streamMode.includes("messages"));
  if (!isAsked) return [];
  return [{ event: [mode, ...namespace].join("|"), data: formOf(mode, data) }];
}

function formOf(mode: string, data: unknown): unknown {
  if (mode === "checkpoints") return checkpointForm(data);
  if (mode === "debug") return debugForm(data);
  return mode === "tasks" ? taskForm(data) : data;
}

const debugSchema = z.looseObject({
  type: z.literal("checkpoint"),
  payload: z.looseObject({
    config: z.unknown(),
    parentConfig: z.unknown().optional(),
    tasks: z.array(z.unknown()),
  }),
});
const resultSchema = z.looseObject({ type: z.literal("task_result"), payload: z.unknown() });

/** A checkpoint in the mode `debug` names its place, and that of the one before it, as clients do. */
function debugForm(data: unknown): unknown {
  const result = resultSchema.safeParse(data).data;
  if (result !== undefined) return { ...result, payload: taskForm(result.payload) };
  const read = debugSchema.safeParse(data);
  if (!read.success) return data;
  const { parentConfig, tasks, ...payload } = read.data.payload;
  const places = {
    checkpoint: placeForm(payload.config),
    parent_checkpoint: placeForm(parentConfig),
    parent_config: parentConfig,
  };
  return { ...read.data, payload: { ...payload, ...places, tasks: tasks.map(taskForm) } };
}

const checkpointSchema = z.object({ values: z.unknown(), metadata: z.unknown(), next: z.unknown() });

function checkpointForm(data: unknown): unknown {
  const read = checkpointSchema.safeParse(data);
  return read.success ? read.data : data;
}

const placeSchema = z.object({
  configurable: z.object({
    thread_id: z.string(),
    checkpoint_id: z.string().nullish(),
    checkpoint_ns: z.string().nullish(),
    checkpoint_map: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const failedSchema = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** A task whose state is the config of a subgraph names the checkpoint of the subgraph in its place. Its error has no secrets. */
function taskForm(given: unknown): unknown {
  const failed = failedSchema.safeParse(given).data;
  const data = failed
    ? { ...failed, error: { ...failed.error, message: withoutSecretForms(failed.error.message) } }
    : given;
  const read = z.looseObject({ state: placeSchema }).safeParse(data);
  if (!read.success) return data;
  const { state, ...task } = read.data;
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = state.configurable;
  return {
    ...task,
    checkpoint: {
      thread_id,
      checkpoint_id: checkpoint_id || null,
      checkpoint_ns: checkpoint_ns || "",
      checkpoint_map: checkpoint_map || null,
    },
  };
}
