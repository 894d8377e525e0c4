import { type Context, Hono } from "hono";
import { z } from "zod";
import { GlassloopError, hasCode } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { demand } from "../access/rights.js";
import type { Run } from "../engine/run-engine.js";
import { numberBefore } from "../protocol/projection.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { errorForm, statusOf } from "../wire/error-response.js";
import { answer, bodyOf, checked } from "../wire/http-json.js";
import { RequestError } from "../wire/request-error.js";
import { checkpointForm } from "../wire/state-form.js";
import { type RunBody, runBody } from "./run-body.js";
import { startRun } from "./start-run.js";

const commandBody = z.object({ id: z.int().min(0), method: z.string(), params: z.unknown().optional() });
type Command = z.output<typeof commandBody>;

const { assistant_id, input, config, metadata, multitask_strategy } = runBody.shape;
/** SDKs write the strategy in two ways. */
const startParams = z
  .object({ assistant_id, input, config, metadata, multitask_strategy, multitaskStrategy: multitask_strategy })
  .transform(({ multitaskStrategy, ...body }) => ({
    ...body,
    multitask_strategy: body.multitask_strategy ?? multitaskStrategy ?? ("enqueue" as const),
    // The SDK names the checkpoint of a fork here.
    ...z.object({ checkpoint_id: z.guid() }).safeParse(body.config?.configurable).data,
  }));
const reply = z.object({ interrupt_id: z.string(), response: z.unknown().optional() });
const replyFields = { config, metadata, update: z.unknown().optional(), goto: z.unknown().optional() };
const respondParams = z.union([
  z.object({ ...replyFields, responses: z.array(reply).min(1) }),
  reply.extend(replyFields).transform(({ interrupt_id, response, ...rest }) => ({
    ...rest,
    responses: [{ interrupt_id, response }],
  })),
]);
const stateParams = z.object({
  namespace: z.array(z.string()).nullish(),
  keys: z.array(z.string()).nullish(),
});

/** What a command gives: its result, and the run that it started. */
interface Done {
  readonly result: object;
  readonly run?: Run;
}

/** The error of a command, in the words of the protocol. */
class CommandError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Makes the route of the commands to a thread, of version 2 of LangGraph's protocol. */
export function commandRoutes(parts: ServerParts): Hono<ServerEnv> {
  const { threads, graphs } = parts;

  async function start(context: Context<ServerEnv>, body: RunBody): Promise<Run> {
    const key = context.req.header("Idempotency-Key");
    const place = { thread: context.req.param("thread"), ...context.var, key };
    return startRun(parts, place, { ...body, stream_subgraphs: true, if_not_exists: "create" });
  }

  /** Returns the graph of a thread, and its state. */
  async function stateOf(context: Context<ServerEnv>, checkpoint_ns = "") {
    const { thread = "" } = context.req.param();
    const found = graphs.ofThread(await threads.get(thread, context.get("owner")));
    if (found === undefined) throw new CommandError("no_such_run", `No run has begun on the thread "${thread}".`);
    const place = { configurable: { thread_id: thread, ...(checkpoint_ns && { checkpoint_ns }) } };
    return { name: found.name, state: await found.graph.getState(place, { subgraphs: true }) };
  }

  async function respond(context: Context<ServerEnv>, params: unknown): Promise<Done> {
    const { responses, update, goto, ...given } = checked(respondParams, params);
    const { name, state } = await stateOf(context);
    const waiting = new Set(state.tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id)));
    const unknown = responses.find(({ interrupt_id }) => !waiting.has(interrupt_id));
    if (unknown) throw new CommandError("no_such_interrupt", `Nothing waits for "${unknown.interrupt_id}" any more.`);
    const resume = Object.fromEntries(responses.map(({ interrupt_id, response }) => [interrupt_id, response]));
    const command = { resume, ...(update !== undefined && { update }), ...(goto !== undefined && { goto }) };
    // Who answers first is right: the second answer fails in its run, as nothing waits for it then.
    const run = await start(context, { ...given, assistant_id: name, command, multitask_strategy: "enqueue" });
    return { result: {}, run };
  }

  async function readState(context: Context<ServerEnv>, params: unknown): Promise<Done> {
    demand(context.get("caller"), "read");
    const { namespace, keys } = checked(stateParams, params);
    const { state } = await stateOf(context, namespace?.join("|"));
    const values = isRecord(state.values) ? state.values : {};
    const picked = keys ? Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key))) : values;
    const { checkpoint_id: id, checkpoint_ns: ns } = checkpointForm(state.config) ?? {};
    return { result: { values: picked, ...(id && { checkpoint: { id, ns } }) } };
  }

  async function execute(context: Context<ServerEnv>, { method, params = {} }: Command): Promise<Done> {
    if (method === "run.start") {
      const run = await start(context, checked(startParams, params));
      return { result: { run_id: run.id }, run };
    }
    if (method === "input.respond") return respond(context, params);
    if (method === "state.get") return readState(context, params);
    const instead = insteadOf[method];
    if (instead === undefined) throw new CommandError("unknown_command", `There is no command "${method}".`);
    throw new CommandError("not_supported", `This server has no "${method}". ${instead}`);
  }

  return new Hono<ServerEnv>().post("/threads/:thread/commands", async (context) => {
    const command = await bodyOf(context, commandBody);
    const { id } = command;
    try {
      const { result, run } = await execute(context, command);
      const seq = run && { applied_through_seq: numberBefore(run) };
      const meta = { thread_id: context.req.param("thread"), ...seq };
      return answer(context, { type: "success", id, result, meta });
    } catch (error) {
      const code = codeFor(error);
      if (code === undefined) throw error;
      const message = error instanceof CommandError ? error.message : errorForm(error).message;
      return answer(context, { type: "error", id, error: code, message });
    }
  });
}

const subscribe = "Each POST of /threads/:id/stream/events says which events it wants.";
/** What clients can do in place of commands that this server does not have. */
const insteadOf: Readonly<Record<string, string>> = {
  "agent.getTree": "Read the state with its subgraphs: GET /threads/:id/state?subgraphs=true.",
  "input.inject": "Start a run with the message: it waits for the run that goes on.",
  "state.fork": "Start a run with forkFrom.",
  "state.listCheckpoints": "POST /threads/:id/history.",
  "subscription.subscribe": subscribe,
  "subscription.unsubscribe": subscribe,
  "subscription.reconnect": subscribe,
};

/** Returns the protocol's word for a mistake of the client; undefined for a thread that is not there, and what may be tried again. */
function codeFor(error: unknown): string | undefined {
  if (error instanceof CommandError) return error.code;
  if (hasCode(error, "checkpoint-not-kept")) return "no_such_checkpoint";
  if (!(error instanceof GlassloopError)) return undefined;
  const status = statusOf(error);
  if (error instanceof RequestError && status === 403) return "permission_denied";
  return hasCode(error, "thread-not-found") || status === 429 || status >= 500 ? undefined : "invalid_argument";
}
