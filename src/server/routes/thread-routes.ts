import { v7 as uuid7 } from "@langchain/core/utils/uuid";
import { Hono } from "hono";
import { z } from "zod";
import { undefinedOn } from "../../base/attempted.js";
import { hasCode } from "../../base/errors.js";
import { type ServedThread, servedStatuses, type ThreadPage, type ThreadQuery } from "../../threads/runs/index.js";
import type { Caller } from "../access/authenticate.js";
import { ownerFor } from "../access/owners.js";
import { demand } from "../access/rights.js";
import type { Graphs } from "../graphs.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { graphMetadata } from "../wire/assistant-form.js";
import { answer, bodyOf } from "../wire/http-json.js";
import { metadata, metadataFilter } from "../wire/metadata.js";
import { plainText } from "../wire/plain-text.js";
import { RequestError } from "../wire/request-error.js";
import { refusalOf, superstepsSchema } from "./state-updates.js";

const record = z.record(z.string(), z.unknown());
const newThread = z.object({
  thread_id: z
    .string()
    .min(1)
    .max(255)
    .regex(/^(?!\.\.?$)/, "no address has this id.")
    .nullish(),
  metadata: metadata.nullish(),
  if_exists: z.enum(["raise", "do_nothing"]).nullish(),
  supersteps: superstepsSchema.nullish(),
});
const status = z.enum(servedStatuses);
const filter = z.object({
  metadata: metadataFilter.nullish(),
  ids: z.array(plainText).nullish(),
  status: status.nullish(),
  values: record.nullish(),
});
const search = filter.extend({
  limit: z.int().min(1).max(1000).default(10),
  offset: z.int().min(0).default(0),
  sort_by: z.enum(["thread_id", "created_at", "updated_at"]).default("created_at"),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
  select: z.array(z.string()).nullish(),
});

/** The most runs of a thread that end because it is deleted. Those of one with more have to be cancelled before. */
const MOST_STOPPED = 10_000;

/** Makes the routes of threads: what they are, and not what they hold. */
export function threadRoutes(parts: ServerParts): Hono<ServerEnv> {
  const { threads, graphs, engine, storeOf } = parts;

  /** Returns a thread in the form of LangGraph's server, with what its newest checkpoint holds. */
  async function formOf(thread: ServedThread, select?: readonly string[] | null): Promise<Record<string, unknown>> {
    const { id } = thread;
    const graph = graphs.ofThread(thread);
    const metadata = graph ? { ...graphMetadata(graph.name), ...thread.metadata } : thread.metadata;
    const form = {
      thread_id: id,
      created_at: thread.createdAt,
      updated_at: thread.updatedAt,
      ...(thread.owner !== undefined && { owner: thread.owner }),
      metadata,
      status: thread.status,
      config: {},
    };
    const isRead = select == null || select.includes("values") || select.includes("interrupts");
    const reading = isRead ? graph?.graph.getState({ configurable: { thread_id: id } }) : undefined;
    // A thread that cannot be read is listed, and can be deleted.
    const state = await reading?.catch(undefinedOn("damaged-thread"));
    const held = state?.createdAt === undefined ? {} : { values: state.values, interrupts: interruptsOf(state.tasks) };
    return selected({ ...form, ...held }, select);
  }

  /** Makes a thread, with the super-steps that it begins with: all of them, or there is no thread. */
  async function create(
    { id, owner, metadata }: Pick<ServedThread, "id" | "owner" | "metadata">,
    supersteps: z.output<typeof superstepsSchema>,
  ): Promise<ServedThread> {
    graphs.check(metadata);
    const graph = graphs.ofThread({ metadata, graph: undefined })?.graph;
    if (supersteps.length > 0 && graph === undefined) {
      throw new RequestError(
        400,
        `Give the graph of the supersteps: metadata.graph_id, of ${graphs.names.join(", ")}.`,
      );
    }
    const made = await threads.create(id, owner, metadata);
    if (graph === undefined || supersteps.length === 0) return made;
    try {
      const config = { configurable: { thread_id: id }, store: graph.store ?? storeOf(owner) };
      await graph.bulkUpdateState(config, supersteps);
    } catch (error) {
      await threads.delete(id, owner);
      throw refusalOf(error);
    }
    return threads.get(id, owner);
  }

  /** Stops the runs of a thread: the last ones first, so that none begins because another has ended. */
  async function stopRuns(thread: string): Promise<void> {
    const lists = (["pending", "running"] as const).map((status) =>
      engine.list(thread, { status, limit: MOST_STOPPED, offset: 0 }),
    );
    for (const { id } of (await Promise.all(lists)).flat()) await engine.cancel(id, "interrupt");
  }

  return new Hono<ServerEnv>()
    .post("/threads", async (context) => {
      const { thread_id, metadata, if_exists, supersteps } = await bodyOf(context, newThread);
      const caller = context.get("caller");
      if (supersteps) demand(caller, "write");
      const thread = { id: thread_id ?? uuid7(), owner: caller.owner, metadata: metadata ?? {} };
      const made = await create(thread, supersteps ?? []).catch(async (error: unknown) => {
        if (if_exists !== "do_nothing" || !hasCode(error, "thread-exists")) throw error;
        return threads.get(thread.id, await ownerFor(threads, caller, thread.id));
      });
      return answer(context, await formOf(made));
    })
    .post("/threads/search", async (context) => {
      const { select, ...query } = await bodyOf(context, search);
      const wanted = queryFrom(query, context.get("caller"), graphs);
      const [found, total] = await Promise.all([threads.search(wanted, pageOf(query)), threads.count(wanted)]);
      const next = query.offset + found.length;
      context.header("X-Pagination-Total", String(total));
      if (next < total) context.header("X-Pagination-Next", String(next));
      return answer(context, await Promise.all(found.map((thread) => formOf(thread, select))));
    })
    .post("/threads/count", async (context) => {
      const query = queryFrom(await bodyOf(context, filter), context.get("caller"), graphs);
      return answer(context, await threads.count(query));
    })
    .get("/threads/:thread", async (context) => {
      const { thread } = context.req.param();
      return answer(context, await formOf(await threads.get(thread, context.get("owner"))));
    })
    .patch("/threads/:thread", async (context) => {
      const body = await bodyOf(context, z.object({ metadata }));
      graphs.check(body.metadata);
      const { thread } = context.req.param();
      const owner = context.get("owner");
      await threads.patch(thread, owner, body.metadata);
      return answer(context, await formOf(await threads.get(thread, owner)));
    })
    .delete("/threads/:thread", async (context) => {
      const { thread } = context.req.param();
      const owner = context.get("owner");
      await threads.get(thread, owner);
      await stopRuns(thread);
      await threads.delete(thread, owner);
      return context.body(null, 204);
    })
    .post("/threads/:thread/copy", async (context) => {
      const { thread } = context.req.param();
      return answer(context, await formOf(await threads.copy(thread, context.get("owner"), uuid7())));
    });
}

/** @throws RequestError 501 */
function queryFrom(
  { metadata, ids, status, values }: z.output<typeof filter>,
  { owner, sees }: Caller,
  graphs: Graphs,
): ThreadQuery {
  if (Object.keys(values ?? {}).length > 0) {
    throw new RequestError(501, "This server finds threads by their metadata, ids and status, not by values.");
  }
  const { graph_id, assistant_id = graph_id, ...own } = metadata ?? {};
  const graph = typeof assistant_id === "string" ? graphs.named(assistant_id) : undefined;
  return {
    owner,
    others: sees,
    ...(graph
      ? { metadata: own, graph: { name: graph.name, agent: graphs.agentName(graph) } }
      : { metadata: metadata ?? {} }),
    ids: ids ?? undefined,
    status: status ?? undefined,
  };
}

const sortNames = { thread_id: "id", created_at: "createdAt", updated_at: "updatedAt" } as const;

function pageOf({ limit, offset, sort_by, sort_order }: z.output<typeof search>): ThreadPage {
  return { limit, offset, sortBy: sortNames[sort_by], order: sort_order };
}

function interruptsOf(tasks: readonly { readonly id: string; readonly interrupts: readonly unknown[] }[]) {
  return Object.fromEntries(tasks.map(({ id, interrupts }) => [id, interrupts]));
}

function selected(form: Record<string, unknown>, select?: readonly string[] | null): Record<string, unknown> {
  return select ? Object.fromEntries(Object.entries(form).filter(([name]) => select.includes(name))) : form;
}
