import { type Item, validateNamespace } from "@langchain/langgraph-checkpoint";
import { Hono } from "hono";
import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { messageOf } from "../../base/message-of.js";
import type { ServerEnv, ServerParts } from "../server-parts.js";
import { bodyOf, queryOf } from "../wire/http-json.js";
import { RequestError } from "../wire/request-error.js";

const labels = z.array(z.string());
const place = z.object({ namespace: labels.min(1, "Give a namespace of at least one label."), key: z.string() });
/** A record of zod would leave out a key such as `__proto__`. */
const object = z.custom<Record<string, unknown>>((value) => isRecord(value), "Give an object.");
const page = z.object({ limit: z.int().min(0).max(1000).nullish(), offset: z.int().min(0).nullish() });
const search = page.extend({ namespace_prefix: labels, filter: object.nullish() });
const list = page.extend({ prefix: labels.nullish(), suffix: labels.nullish(), max_depth: z.int().min(1).nullish() });

/** Makes the routes of the long-term store. Each sender sees their own items. */
export function storeRoutes({ storeOf }: ServerParts): Hono<ServerEnv> {
  return new Hono<ServerEnv>()
    .put("/store/items", async (context) => {
      const { namespace, key, value } = await bodyOf(context, place.extend({ value: object }));
      check(namespace, { allowReservedRoot: false });
      await storeOf(context.get("owner")).put(namespace, key, value);
      return context.body(null, 204);
    })
    .get("/store/items", async (context) => {
      const { namespace: path, key } = queryOf(context, z.object({ namespace: z.string(), key: z.string() }));
      const namespace = path.split(".");
      check(namespace);
      const item = await storeOf(context.get("owner")).get(namespace, key);
      return context.json(item && itemForm(item));
    })
    .delete("/store/items", async (context) => {
      const { namespace, key } = await bodyOf(context, place);
      check(namespace);
      await storeOf(context.get("owner")).delete(namespace, key);
      return context.body(null, 204);
    })
    .post("/store/items/search", async (context) => {
      const { namespace_prefix, filter, limit, offset } = await bodyOf(context, search);
      check(namespace_prefix);
      const options = { filter: filter ?? undefined, limit: limit ?? 10, offset: offset ?? 0 };
      const items = await storeOf(context.get("owner")).search(namespace_prefix, options);
      return context.json({ items: items.map(itemForm) });
    })
    .post("/store/namespaces", async (context) => {
      const { prefix, suffix, max_depth, limit, offset } = await bodyOf(context, list);
      for (const namespace of [prefix, suffix]) check(namespace ?? []);
      const namespaces = await storeOf(context.get("owner")).listNamespaces({
        ...(prefix && { prefix }),
        ...(suffix && { suffix }),
        ...(max_depth && { maxDepth: max_depth }),
        limit: limit ?? 100,
        offset: offset ?? 0,
      });
      return context.json({ namespaces });
    });
}

/** @throws RequestError 422 for a namespace that LangGraph refuses, with its reason. */
function check(namespace: string[], { allowReservedRoot = true } = {}): void {
  try {
    validateNamespace(namespace, { allowEmpty: true, allowReservedRoot });
  } catch (error) {
    throw new RequestError(422, messageOf(error));
  }
}

function itemForm({ namespace, key, value, createdAt, updatedAt }: Item) {
  return { namespace, key, value, created_at: createdAt, updated_at: updatedAt };
}
