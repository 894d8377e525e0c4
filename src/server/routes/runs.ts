import { type Context, Hono } from "hono";
import { z } from "zod";
import { isSeen } from "../access/authenticate.js";
import { demand } from "../access/rights.js";
import { type Run, runStatuses } from "../engine/run-engine.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { eventStream, lastNumberOf } from "../wire/event-stream.js";
import { answer, bodyOf, flag, queryOf } from "../wire/http-json.js";
import { RequestError } from "../wire/request-error.js";
import { eventsFor } from "./events-for.js";
import { finalValues } from "./final-values.js";
import { type RunBody, runBody } from "./run-body.js";
import { runForm } from "./run-form.js";
import { startRun } from "./start-run.js";

const listQuery = z.object({
  limit: z.coerce.number().int().min(0).max(1000).default(10),
  offset: z.coerce.number().int().min(0).default(0),
  status: z.enum(runStatuses).optional(),
});
const cancelQuery = z.object({
  wait: flag.default(false),
  action: z.enum(["interrupt", "rollback"]).default("interrupt"),
});

/** Returns the path of a run on a thread. A header takes no other letters than those of an address. */
export function runPath(thread: string, run: string): string {
  return `/threads/${encodeURIComponent(thread)}/runs/${run}`;
}

/** Returns the path of a run, as its client names it. */
function placeOf(context: Context<ServerEnv>, { id }: Run): string {
  const { thread } = context.req.param();
  return thread === undefined ? `/runs/${id}` : runPath(thread, id);
}

/** Makes the routes of runs, on a thread and without one. */
export function runRoutes(parts: ServerParts): Hono<ServerEnv> {
  const { engine, threads, graphs } = parts;

  /** Finds a run of a thread that the sender may see. @throws RequestError 404 */
  async function find(context: Context<ServerEnv>): Promise<Run> {
    const { thread, run: id = "" } = context.req.param();
    const run = await engine.get(id);
    const isThere = isSeen(context.get("caller"), run?.owner) && (thread === undefined || run?.thread === thread);
    if (run === undefined || !isThere) throw new RequestError(404, `There is no run "${id}".`);
    return run;
  }

  async function enqueue(context: Context<ServerEnv>): Promise<{ readonly run: Run; readonly body: RunBody }> {
    const body = await bodyOf(context, runBody);
    const key = context.req.header("Idempotency-Key");
    const run = await startRun(parts, { thread: context.req.param("thread"), ...context.var, key }, body);
    context.header("Content-Location", placeOf(context, run));
    return { run, body };
  }

  function streamOf(context: Context<ServerEnv>, run: Run, after = -1, cancelsOnLeave = false): Response {
    // The SDK comes back to this address if the connection breaks.
    context.header("Location", `${placeOf(context, run)}/stream`);
    const events = (signal: AbortSignal) => eventsFor(run, after, engine.stream(run.id, 0, signal));
    return eventStream(context, events, (hasLeft) => {
      if (hasLeft && cancelsOnLeave) engine.cancel(run.id, "interrupt").catch(() => undefined);
    });
  }

  /** Reads the state that a run left, for a run whose events do not have it. */
  async function valuesOf({ graph, thread }: Run): Promise<unknown> {
    const { values } = await graphs.find(graph).graph.getState({ configurable: { thread_id: thread } });
    return values;
  }

  return new Hono<ServerEnv>()
    .on("POST", ["/threads/:thread/runs", "/runs"], async (context) => {
      const { run } = await enqueue(context);
      return answer(context, runForm(run));
    })
    .on("POST", ["/threads/:thread/runs/stream", "/runs/stream"], async (context) => {
      const { run, body } = await enqueue(context);
      return streamOf(context, run, -1, body.on_disconnect === "cancel");
    })
    .on("POST", ["/threads/:thread/runs/wait", "/runs/wait"], async (context) => {
      const { run } = await enqueue(context);
      return finalValues(
        context,
        (signal) => engine.stream(run.id, 0, signal),
        () => valuesOf(run),
      );
    })
    .get("/threads/:thread/runs", async (context) => {
      const { thread } = context.req.param();
      await threads.get(thread, context.get("owner"));
      const runs = await engine.list(thread, queryOf(context, listQuery));
      return answer(context, runs.map(runForm));
    })
    .get("/threads/:thread/runs/:run", async (context) => answer(context, runForm(await find(context))))
    .delete("/threads/:thread/runs/:run", async (context) => {
      await engine.delete((await find(context)).id);
      return context.body(null, 204);
    })
    .get("/threads/:thread/runs/:run/join", async (context) => {
      const run = await find(context);
      return finalValues(
        context,
        (signal) => engine.stream(run.id, 0, signal),
        () => valuesOf(run),
      );
    })
    .on("GET", ["/threads/:thread/runs/:run/stream", "/runs/:run/stream"], async (context) => {
      const run = await find(context);
      const { cancel_on_disconnect } = queryOf(context, z.object({ cancel_on_disconnect: flag.default(false) }));
      if (cancel_on_disconnect) demand(context.get("caller"), "ask");
      return streamOf(context, run, lastNumberOf(context), cancel_on_disconnect);
    })
    .post("/threads/:thread/runs/:run/cancel", async (context) => {
      const { wait, action } = queryOf(context, cancelQuery);
      if (action === "rollback") demand(context.get("caller"), "write");
      const { id } = await find(context);
      const cancelled = engine.cancel(id, action);
      if (wait) await cancelled;
      else cancelled.catch(() => undefined);
      return context.body(null, wait ? 204 : 202);
    });
}
