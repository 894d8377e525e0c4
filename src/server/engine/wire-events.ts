import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { placeSchema } from "../wire/state-form.js";
import type { RunEvent, RunInput } from "./run-engine.js";

/** An event of a run on the wire: its name, and its data before it becomes JSON. */
export interface WireEvent {
  readonly event: string;
  readonly data: unknown;
  readonly mode: string;
  /** The namespace of the graph that sent it, as checkpoints have it. */
  readonly namespace: string;
}

const chunkSchema = z.union([
  z.tuple([z.array(z.string()), z.string(), z.unknown()]),
  z.tuple([z.string(), z.unknown()]).transform(([mode, data]): [string[], string, unknown] => [[], mode, data]),
]);

/** Returns the events that a chunk of LangGraph's stream is for the readers of a run. */
export function wireEvents(chunk: unknown, { streamMode }: RunInput): WireEvent[] {
  const [path, mode, data] = chunkSchema.parse(chunk);
  const namespace = path.join("|");
  const of = (name: string, form: unknown) => ({ event: [name, ...path].join("|"), data: form, mode, namespace });
  // Of a task everybody may want to know when it begins and ends; what it was given and gave is in the values.
  const place = mode === "tasks" ? [of("place", placeOfTask(data))] : [];
  return mode === "tasks" && !streamMode.includes("tasks") ? place : [...place, of(mode, formOf(mode, data))];
}

/** The modes that each run records, whatever its client asked for: others may follow it. */
const always = ["values", "messages", "tools", "custom", "tasks"];

/** Returns the modes of LangGraph for the modes that a client asks for. */
export function libraryModes(modes: readonly string[]): string[] {
  const own = modes.filter((mode) => !["messages-tuple", "events"].includes(mode));
  return [...new Set([...always, ...own])];
}

/** Returns the name of an event for the client of its run; undefined if that did not ask for it. */
export function nameFor({ event, json }: Pick<RunEvent, "event" | "json">, given: RunInput): string | undefined {
  const of = event === "pruned" ? prunedSchema.parse(JSON.parse(json)).event : event;
  const [mode = "", ...path] = of.split("|");
  if (mode === "metadata" || mode === "error") return event;
  if (!given.streamMode.includes(mode === "messages" ? "messages-tuple" : mode)) return undefined;
  if (given.subgraphs || path.length === 0) return event;
  // What a subgraph writes is also for clients that do not want to know where it comes from.
  return mode === "custom" ? mode : undefined;
}

const prunedSchema = z.object({ event: z.string() });
const taskSchema = z.looseObject({ id: z.string(), name: z.string(), interrupts: z.array(z.unknown()) });

/** What is recorded of a task at its begin and at its end. */
export const placeOfTaskSchema = z.object({
  id: z.string(),
  name: z.string(),
  event: z.enum(["started", "completed", "failed", "interrupted"]),
});

function placeOfTask(data: unknown): z.output<typeof placeOfTaskSchema> {
  const { id, name, interrupts, ...task } = taskSchema.parse(data);
  if ("input" in task) return { id, name, event: "started" };
  return { id, name, event: task.error ? "failed" : interrupts.length > 0 ? "interrupted" : "completed" };
}

function formOf(mode: string, data: unknown): unknown {
  if (mode === "checkpoints") return checkpointForm(data);
  if (mode === "tasks") return taskForm(data);
  if (mode === "tools") return toolForm(data);
  return mode === "debug" ? debugForm(data) : data;
}

const debugSchema = z.looseObject({
  type: z.literal("checkpoint"),
  payload: z.looseObject({ config: z.unknown(), parentConfig: z.unknown(), tasks: z.array(z.unknown()) }),
});
const resultSchema = z.looseObject({ type: z.literal("task_result"), payload: z.unknown() });

function debugForm(data: unknown): unknown {
  const result = resultSchema.safeParse(data).data;
  if (result) return { ...result, payload: taskForm(result.payload) };
  const read = debugSchema.safeParse(data);
  if (!read.success) return data;
  const { config, parentConfig, tasks, ...payload } = read.data.payload;
  return {
    ...read.data,
    payload: {
      ...payload,
      config: configForm(config),
      parent_config: configForm(parentConfig),
      checkpoint: placeForm(config),
      parent_checkpoint: placeForm(parentConfig),
      tasks: tasks.map(taskForm),
    },
  };
}

const configSchema = z.object({
  configurable: z.record(z.string(), z.unknown()),
  metadata: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(z.string()).optional(),
});

/** Returns the part of a config that is for clients. */
function configForm(config: unknown): unknown {
  const read = configSchema.safeParse(config).data;
  if (read === undefined) return undefined;
  const shown = Object.entries(read.configurable).filter(([key]) => !key.startsWith("__"));
  return { ...read, configurable: Object.fromEntries(shown) };
}

/** Names a checkpoint; null if the config has none. */
function placeForm(config: unknown) {
  const read = placeSchema.safeParse(config).data?.configurable;
  return read?.checkpoint_id ? toPlace(read) : null;
}

const checkpointSchema = z.object({ values: z.unknown(), metadata: z.unknown(), next: z.unknown() });

function checkpointForm(data: unknown): unknown {
  const read = checkpointSchema.safeParse(data);
  return read.success ? read.data : data;
}

type Configurable = z.infer<typeof placeSchema>["configurable"];

function toPlace({ thread_id, checkpoint_id, checkpoint_ns, checkpoint_map }: Configurable) {
  return {
    thread_id,
    checkpoint_id: checkpoint_id || null,
    checkpoint_ns: checkpoint_ns ?? "",
    checkpoint_map: checkpoint_map || null,
  };
}

const failedSchema = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** JSON would have nothing of the error of a tool. */
function toolForm(data: unknown): unknown {
  if (!isRecord(data) || data.error === undefined) return data;
  const name = data.error instanceof Error ? data.error.name : "Error";
  return { ...data, error: { name, message: withoutSecretForms(messageOf(data.error)) } };
}

/** A task whose state is the config of a subgraph names the checkpoint of the subgraph in its place. Its error has no secrets. */
function taskForm(given: unknown): unknown {
  const failed = failedSchema.safeParse(given).data;
  const data = failed
    ? { ...failed, error: { ...failed.error, message: withoutSecretForms(failed.error.message) } }
    : given;
  const read = z.looseObject({ state: placeSchema }).safeParse(data);
  if (!read.success) return data;
  const { state, ...task } = read.data;
  return { ...task, checkpoint: toPlace(state.configurable) };
}
