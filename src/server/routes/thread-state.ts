import { type Context, Hono } from "hono";
import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import type { ServedGraph } from "../engine/served-graph.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { checkpointPlace } from "../wire/checkpoint-place.js";
import { answer, bodyOf, checked, flag, queryOf } from "../wire/http-json.js";
import { metadataFilter } from "../wire/metadata.js";
import { listAnswer, mostBytes, Page } from "../wire/page.js";
import { plainText } from "../wire/plain-text.js";
import { RequestError } from "../wire/request-error.js";
import { checkpointForm, stateForm } from "../wire/state-form.js";
import { wireJson } from "../wire/wire-json.js";
import { nodeName, refusalOf } from "./state-updates.js";

const record = z.record(z.string(), z.unknown());
const stateBody = z.object({
  checkpoint: checkpointPlace.nullish(),
  subgraphs: z.union([z.boolean(), flag]).nullish(),
});
const updateBody = z.object({
  values: z.union([record, z.array(z.unknown())]).nullish(),
  as_node: nodeName.nullish(),
  checkpoint: checkpointPlace.nullish(),
  checkpoint_id: checkpointPlace.shape.checkpoint_id,
});
const before = z.union([
  plainText,
  z
    .object({ configurable: z.object({ checkpoint_id: plainText }) })
    .transform((config) => config.configurable.checkpoint_id),
]);
const historyBody = z.object({
  limit: z.coerce.number().int().min(1).max(1000).default(10),
  before: before.nullish(),
  metadata: metadataFilter.nullish(),
  checkpoint: checkpointPlace.nullish(),
  select: z.union([z.array(z.string()), z.string().transform((names) => names.split(",").filter(Boolean))]).nullish(),
  max_bytes: z.coerce.number().int().min(1).default(mostBytes.list),
});

type CheckpointPlace = z.output<typeof checkpointPlace>;

const emptyState = { values: {}, next: [], tasks: [], created_at: null, checkpoint: null, parent_checkpoint: null };

/** Makes the routes of what threads hold: their state now and before. */
export function stateRoutes({ threads, graphs, storeOf }: ServerParts): Hono<ServerEnv> {
  /** Returns the graph of a thread that the sender may see; undefined if the thread never ran. */
  async function graphOf(context: Context<ServerEnv>): Promise<ServedGraph | undefined> {
    const { thread = "" } = context.req.param();
    return graphs.ofThread(await threads.get(thread, context.get("owner")))?.graph;
  }

  async function state(context: Context<ServerEnv>, place: CheckpointPlace, subgraphs: boolean) {
    const graph = await graphOf(context);
    const found = await graph?.getState(configOf(context, place), { subgraphs });
    return answer(context, found?.createdAt === undefined ? emptyState : stateForm(found));
  }

  async function history(
    context: Context<ServerEnv>,
    { limit, before, metadata, checkpoint, select, max_bytes }: z.output<typeof historyBody>,
  ) {
    const graph = await graphOf(context);
    const page = new Page<string>(limit, max_bytes);
    const options = {
      limit: limit + 1,
      ...(before && { before: { configurable: { checkpoint_id: before } } }),
      ...(metadata && { filter: metadata }),
    };
    for await (const one of graph?.getStateHistory(configOf(context, checkpoint ?? {}), options) ?? []) {
      const { values, ...form } = stateForm(one);
      const json = wireJson({ values: select ? picked(values, select) : values, ...form });
      if (!page.add(json, Buffer.byteLength(json) + 1)) break;
      page.next = checkpointForm(one.config)?.checkpoint_id;
    }
    return listAnswer(context, page);
  }

  return new Hono<ServerEnv>()
    .get("/threads/:thread/state", (context) => {
      return state(context, {}, queryOf(context, z.object({ subgraphs: flag.default(false) })).subgraphs);
    })
    .get("/threads/:thread/state/:checkpoint", (context) => {
      const { subgraphs } = queryOf(context, z.object({ subgraphs: flag.default(false) }));
      const place = checked(checkpointPlace, { checkpoint_id: context.req.param().checkpoint });
      return state(context, place, subgraphs);
    })
    .post("/threads/:thread/state/checkpoint", async (context) => {
      const { checkpoint, subgraphs } = await bodyOf(context, stateBody);
      return state(context, checkpoint ?? {}, subgraphs ?? false);
    })
    .post("/threads/:thread/state", async (context) => {
      const { values, as_node, checkpoint, checkpoint_id } = await bodyOf(context, updateBody);
      const graph = await graphOf(context);
      if (graph === undefined) throw new RequestError(400, "The thread has no graph yet. Run one on it first.");
      // Edges of the node may read the store.
      const store = graph.store ?? storeOf(context.get("owner"));
      const place = { ...configOf(context, checkpoint ?? { checkpoint_id }), store };
      const update = graph.updateState(place, values ?? null, as_node ?? undefined);
      const config = await update.catch((error: unknown) => {
        throw refusalOf(error);
      });
      return answer(context, { checkpoint: checkpointForm(config) });
    })
    .get("/threads/:thread/history", (context) => history(context, queryOf(context, historyBody)))
    .post("/threads/:thread/history", async (context) => history(context, await bodyOf(context, historyBody)));
}

/** Returns some channels of a state. */
function picked(values: unknown, names: readonly string[]): Record<string, unknown> {
  return isRecord(values) ? Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name))) : {};
}

function configOf(context: Context, { checkpoint_id, checkpoint_ns, checkpoint_map }: CheckpointPlace) {
  return {
    configurable: {
      thread_id: context.req.param("thread"),
      ...(checkpoint_id && { checkpoint_id }),
      ...(checkpoint_ns && { checkpoint_ns }),
      ...(checkpoint_map && { checkpoint_map }),
    },
  };
}
