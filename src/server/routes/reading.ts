import { Hono } from "hono";
import { z } from "zod";
import { costOf } from "../../model/prices.js";
import type { ListedThread } from "../../threads/runs/index.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { bounded, partOf, thoseThatFit } from "../wire/bounded.js";
import { answer, checked, queryOf } from "../wire/http-json.js";
import { plainText } from "../wire/plain-text.js";
import { RequestError } from "../wire/request-error.js";
import { listedForm } from "./listed-form.js";

/** Where a page of the list ended. */
const placeText = z
  .string()
  .regex(/^[01]\.\d{1,15}\.[^\0]{1,255}$/, "give the `next` of a page.")
  .transform((text) => {
    const [asked = "", written = ""] = text.split(".", 2);
    return { asked: Number(asked), written: Number(written), id: text.slice(asked.length + written.length + 2) };
  });
const listQuery = z.object({
  text: plainText.optional(),
  waiting: z.enum(["only", "first"]).optional(),
  after: placeText.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

const checkpoint = z.guid().optional();
const turnsQuery = z.object({
  before: checkpoint,
  checkpoint,
  limit: z.coerce.number().int().min(1).max(50).default(50),
});

const turnQuery = z.object({ checkpoint, from: z.coerce.number().int().min(0).default(0) });
const turnPath = z.object({ thread: z.string(), number: z.coerce.number().int().min(0) });

/** Makes the routes under `/glassloop/` that tell what a thread keeps. The response of each has a largest size. */
export function readingRoutes({ threads, graphs }: ServerParts): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/glassloop/threads", async (context) => {
      const query = queryOf(context, listQuery);
      const { owner, sees } = context.get("caller");
      const found = await threads.list({ ...query, owner, others: sees });
      const isWanted = ({ status }: ListedThread) => query.waiting !== "only" || status === "waiting";
      const page = found.slice(0, query.limit);
      const forms = page.map(({ thread, place }) => ({ thread, place, ...listedForm(thread, graphs) }));
      const shown = thoseThatFit(forms, ({ bytes }) => bytes);
      const last = shown.length < found.length ? shown.at(-1)?.place : undefined;
      return answer(context, {
        // What waited a moment ago may run by now.
        threads: shown.flatMap(({ thread, json }) => (isWanted(thread) ? [json] : [])),
        next: last ? `${last.asked}.${last.written}.${last.id}` : null,
      });
    })
    .get("/glassloop/threads/:thread/turns", async (context) => {
      const { thread } = context.req.param();
      const wanted = queryOf(context, turnsQuery);
      const { turns, hasOlder, branches } = await threads.turns(thread, context.get("owner"), wanted);
      const newestFirst = turns.toReversed().map(({ usage, ...turn }) => ({
        begin: turn.begin,
        ...bounded({ ...turn, ...(usage && { usage, cost: costOf(usage) }) }),
      }));
      const shown = thoseThatFit(newestFirst, ({ bytes }) => bytes).reverse();
      const next = hasOlder || shown.length < turns.length ? shown[0]?.begin : undefined;
      return answer(context, { turns: shown.map(({ json }) => json), branches, next: next ?? null });
    })
    .get("/glassloop/threads/:thread/turns/:number", async (context) => {
      const { thread, number } = checked(turnPath, context.req.param());
      const { checkpoint, from } = queryOf(context, turnQuery);
      const turn = await threads.turn(thread, context.get("owner"), number, checkpoint);
      if (turn === undefined) throw new RequestError(404, `No turn ${number} of this thread is kept.`);
      const { steps, ...head } = turn;
      const { shown, count, next } = partOf(steps, from);
      const cost = head.usage && costOf(head.usage);
      return answer(context, { ...bounded({ ...head, cost }).json, steps: shown, count, nextFrom: next });
    });
}
