import { v7 as uuid7 } from "@langchain/core/utils/uuid";
import { z } from "zod";
import type { Caller } from "../access/authenticate.js";
import { type ClientSettings, checkSettings } from "../access/client-settings.js";
import { type RunOrder, runStrategies } from "../engine/run-engine.js";
import { assistantIdOf } from "../wire/assistant-form.js";
import { checkpointPlace } from "../wire/checkpoint-place.js";
import { metadata } from "../wire/metadata.js";
import { RequestError } from "../wire/request-error.js";

const record = z.record(z.string(), z.unknown());
const served = ["values", "updates", "messages-tuple", "custom", "checkpoints", "tasks", "tools", "debug", "events"];
const modes = z.enum(served, { error: `give one of ${served.join(", ")}.` });
const nodes = z.union([z.literal("*"), z.array(z.string())]);
const config = z.object({
  tags: z.array(z.string()).optional(),
  recursion_limit: z.int().positive().optional(),
  configurable: record.optional(),
  metadata: metadata.optional(),
});

/** The body of a request for a run, in the words of LangGraph's server. Null is the same as nothing. */
export const runBody = z.object({
  assistant_id: z.string(),
  input: z.unknown().optional(),
  command: z.object({ resume: z.unknown(), update: z.unknown(), goto: z.unknown() }).partial().nullish(),
  checkpoint: checkpointPlace.nullish(),
  checkpoint_id: checkpointPlace.shape.checkpoint_id,
  config: config.nullish(),
  context: record.nullish(),
  metadata: metadata.nullish(),
  stream_mode: z.union([modes.transform((mode) => [mode]), z.array(modes)]).nullish(),
  stream_subgraphs: z.boolean().nullish(),
  stream_resumable: z.boolean().nullish(),
  on_disconnect: z.enum(["cancel", "continue"]).nullish(),
  on_completion: z.enum(["delete", "keep"]).nullish(),
  multitask_strategy: z.enum(runStrategies).nullish(),
  interrupt_before: nodes.nullish(),
  interrupt_after: nodes.nullish(),
  if_not_exists: z.enum(["reject", "create"]).nullish(),
  durability: z.enum(["sync", "async", "exit"]).nullish(),
  webhook: z.unknown().optional(),
  after_seconds: z.number().nullish(),
});
export type RunBody = z.output<typeof runBody>;

/**
 * Makes the order of a run of what a client sent.
 *
 * @param place The thread and the name of the graph, and whose run it is.
 * @param caller Who wants it.
 * @throws RequestError 422 for a setting that belongs to the server; 501 for what this server does not do.
 */
export function orderOf(
  body: RunBody,
  place: Pick<RunOrder, "thread" | "graph" | "owner" | "temporary">,
  settings: ClientSettings,
  { by, may }: Pick<Caller, "by" | "may">,
): RunOrder {
  if (body.webhook || body.after_seconds) {
    const missing = "This server calls no webhooks and delays no runs";
    throw new RequestError(501, `${missing}: leave out webhook and after_seconds.`);
  }
  checkSettings(settings, body.context ?? {}, body.config?.configurable);
  const { metadata, config } = body;
  const checkpoint = body.checkpoint ?? (body.checkpoint_id ? { checkpoint_id: body.checkpoint_id } : undefined);
  return {
    ...place,
    id: uuid7(),
    by,
    onlyAsks: !may.has("write") && !body.command && body.input != null,
    strategy: body.multitask_strategy ?? "reject",
    metadata: metadata ?? {},
    given: {
      input: body.input,
      streamMode: body.stream_mode?.length ? body.stream_mode : ["values"],
      subgraphs: body.stream_subgraphs ?? false,
      ...(body.command && { command: body.command }),
      config: {
        ...config,
        configurable: { ...config?.configurable, assistant_id: assistantIdOf(place.graph) },
        metadata: { ...config?.metadata, ...metadata },
      },
      ...(body.context && { context: body.context }),
      ...(checkpoint && { checkpoint }),
      ...(body.interrupt_before && { interruptBefore: body.interrupt_before }),
      ...(body.interrupt_after && { interruptAfter: body.interrupt_after }),
      ...(body.durability && { durability: body.durability }),
    },
  };
}
