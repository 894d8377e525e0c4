import { Hono } from "hono";
import { z } from "zod";
import { costOf } from "../../model/prices.js";
import type { ListedThread } from "../../threads/runs/index.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { bounded, longAnswer, partQuery } from "../wire/bounded.js";
import { answer, checked, queryOf } from "../wire/http-json.js";
import { mostBytes, Page } from "../wire/page.js";
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

const turnQuery = partQuery.extend({ checkpoint });
const differenceQuery = partQuery.extend({ checkpoint: z.guid() });
const turnPath = z.object({ thread: z.string(), number: z.coerce.number().int().min(0) });

/** Makes the routes under `/glassloop/` that tell what a thread keeps. The response of each has a largest size. */
export function readingRoutes({ threads, graphs }: ServerParts): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .get("/glassloop/threads", async (context) => {
      const query = queryOf(context, listQuery);
      const { owner, sees } = context.get("caller");
      const found = await threads.list({ ...query, owner, others: sees });
      const isWanted = ({ status }: ListedThread) => query.waiting !== "only" || status === "waiting";
      const page = new Page<readonly object[]>(query.limit, mostBytes.answer);
      for (const { thread, place } of found) {
        const { json, bytes } = listedForm(thread, graphs);
        // What waited a moment ago may run by now.
        if (!page.add(isWanted(thread) ? [json] : [], bytes)) break;
        page.next = `${place.asked}.${place.written}.${place.id}`;
      }
      return answer(context, { threads: page.items.flat(), next: (page.isCut && page.next) || null });
    })
    .get("/glassloop/threads/:thread", async (context) => {
      const { thread } = context.req.param();
      await threads.metadataOf(thread, context.get("owner"));
      const [listed] = await threads.listed([thread]);
      if (listed === undefined) throw new RequestError(404, `There is no thread "${thread}" in the list.`);
      return answer(context, listedForm(listed, graphs).json);
    })
    .get("/glassloop/threads/:thread/turns", async (context) => {
      const { thread } = context.req.param();
      const wanted = queryOf(context, turnsQuery);
      const { turns, hasOlder, branches } = await threads.turns(thread, context.get("owner"), wanted);
      const page = new Page<object>(Number.POSITIVE_INFINITY, mostBytes.answer);
      for (const { usage, ...turn } of turns.toReversed()) {
        const { json, bytes } = bounded({ ...turn, ...(usage && { usage, cost: costOf(usage) }) });
        if (!page.add(json, bytes)) break;
        page.next = turn.begin;
      }
      const next = hasOlder || page.isCut ? page.next : undefined;
      return answer(context, { turns: page.items.toReversed(), branches, next: next ?? null });
    })
    .get("/glassloop/threads/:thread/turns/:number", async (context) => {
      const { thread, number } = checked(turnPath, context.req.param());
      const { checkpoint, ...wanted } = queryOf(context, turnQuery);
      const turn = await threads.turn(thread, context.get("owner"), number, checkpoint);
      if (turn === undefined) throw new RequestError(404, `No turn ${number} of this thread is kept.`);
      const { steps, ...head } = turn;
      const cost = head.usage && costOf(head.usage);
      return longAnswer(context, { head: { ...head, cost }, name: "steps", items: steps }, wanted);
    })
    .get("/glassloop/threads/:thread/difference", async (context) => {
      const { thread } = context.req.param();
      const { checkpoint, ...wanted } = queryOf(context, differenceQuery);
      const { changes, ...head } = await threads.difference(thread, context.get("owner"), checkpoint);
      return longAnswer(context, { head, name: "changes", items: changes }, wanted);
    });
}
