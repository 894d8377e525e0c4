import { Hono } from "hono";
import { z } from "zod";
import { isSeen } from "../access/authenticate.js";
import { readEventId, runOf } from "../protocol/projection.js";
import { eventFilter, isWanted } from "../protocol/protocol-event.js";
import { SharedRuns, untilUndone } from "../protocol/shared-runs.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { eventStream, type SentEvent } from "../wire/event-stream.js";
import { bodyOf, queryOf } from "../wire/http-json.js";
import { RequestError } from "../wire/request-error.js";
import { eventsFor } from "./events-for.js";

const onlyRuns = "this server has the events of runs only: leave it out, or give run_modes.";

/** Makes the routes that follow a thread: the events of its runs, those that come later among them. */
export function followRoutes({ engine, threads, changes }: ServerParts): Hono<ServerEnv> {
  const shared = new SharedRuns(engine);

  /** Returns the number of the event that a reader names as its last one; undefined if there is no such run on the thread. */
  async function numberOf(id: string, thread: string): Promise<number | undefined> {
    const last = readEventId(id);
    const run = last && (await engine.get(last.run));
    return run?.thread === thread ? last?.numberIn(run) : undefined;
  }

  return new Hono<ServerEnv>()
    .get("/glassloop/changes", (context) => {
      const { after } = queryOf(context, z.object({ after: z.string().default("") }));
      const caller = context.get("caller");
      const last = context.req.header("Last-Event-ID") ?? after;
      const events = (signal: AbortSignal) => changes.follow((owner) => isSeen(caller, owner), last, signal);
      return eventStream(context, events, () => undefined);
    })
    .post("/threads/:thread/stream/events", async (context) => {
      const { thread } = context.req.param();
      const owner = context.get("owner");
      const given = await bodyOf(context, eventFilter);
      const since = (await numberOf(context.req.header("Last-Event-ID") ?? "", thread)) ?? given.since ?? undefined;
      const filter = { ...given, since };
      // Whoever has an event gets all after it, also those of runs that have ended.
      const after = since && runOf(since) - 1;
      async function* events(signal: AbortSignal): AsyncGenerator<SentEvent> {
        // A thread that is not there may be made by a run that comes.
        for await (const run of engine.follow(thread, owner, after, signal)) {
          for await (const { event, json } of shared.read(run, signal)) {
            if (isWanted(event, filter)) yield { event: event.method, json, id: event.event_id };
          }
        }
      }
      return eventStream(context, events, () => undefined);
    })
    .get("/threads/:thread/stream", async (context) => {
      queryOf(context, z.object({ stream_mode: z.literal("run_modes", { error: onlyRuns }).optional() }));
      const { thread } = context.req.param();
      const owner = context.get("owner");
      await threads.metadataOf(thread, owner);
      const [, id = "", last = "-1"] = /^(.+):(\d{1,9})$/.exec(context.req.header("Last-Event-ID") ?? "") ?? [];
      const begun = id ? await engine.get(id) : undefined;
      const after = begun?.thread === thread ? begun.number - 1 : undefined;
      async function* events(signal: AbortSignal): AsyncGenerator<SentEvent> {
        for await (const run of engine.follow(thread, owner, after, signal)) {
          const seen = run.id === id ? Number(last) : -1;
          for await (const event of eventsFor(run, seen, untilUndone(engine.stream(run.id, 0, signal))))
            yield { ...event, id: `${run.id}:${event.id}` };
        }
      }
      return eventStream(context, events, () => undefined);
    })
    .get("/threads/:thread/stream/events", () => {
      throw new RequestError(404, "This server has no WebSocket. Read the events of a thread with a POST.");
    });
}
