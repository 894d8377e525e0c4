import { randomUUID } from "node:crypto";
import type { Check, Served } from "./checks.js";

const value = {
  text: "Ä \u0000 \ud83d\ude00 \"'\\ \u2028",
  list: [1, [null, {}]],
  none: null,
  zero: 0,
  no: false,
  lc: 1,
};
const keys = ["", " ", "a.b", "a:b/c", "ключ", "%_$1", "\u0000", '"', "__proto__", "k".repeat(3_000)];

/** Puts items into a namespace of its own, and returns its first label. */
async function items({ client }: Served): Promise<string> {
  const own = randomUUID();
  await client.store.putItem([own, "a"], "one", { n: 1, kind: "x" });
  await client.store.putItem([own, "a"], "two", { n: 2, kind: "y" });
  await client.store.putItem([own, "a", "deep"], "three", { n: 3, kind: "x", tags: ["t"] });
  await client.store.putItem([own, "ab"], "four", { n: "4" });
  return own;
}

const filters = [
  { kind: "x" },
  { n: { $gt: 1 } },
  { n: { $gte: 2, $lt: 4 } },
  { n: { $lte: 1 } },
  { kind: { $eq: "y" } },
  { kind: { $ne: "x" } },
  { kind: { $in: ["x", "z"] } },
  { kind: { $nin: ["x"] } },
  { kind: "x", n: 3 },
  { n: {} },
  { n: { $gt: 0, $unknown: 1 } },
  { tags: ["t"] },
  { nothing: null },
];

/** A request: its method, its path and its body. */
export type Request = Parameters<Served["request"]>;

const bad: Request[] = [
  ["PUT", "/store/items", { namespace: ["a"], key: "k" }],
  ["PUT", "/store/items", { namespace: ["a"], key: "k", value: "text" }],
  ["PUT", "/store/items", { namespace: ["a"], key: 5, value: {} }],
  ["PUT", "/store/items", { namespace: "a", key: "k", value: {} }],
  ["PUT", "/store/items", { namespace: [], key: "k", value: {} }],
  ["PUT", "/store/items", { namespace: ["a.b"], key: "k", value: {} }],
  ["PUT", "/store/items", { namespace: ["a", ""], key: "k", value: {} }],
  ["PUT", "/store/items", "{"],
  ["GET", "/store/items?namespace=a"],
  ["DELETE", "/store/items", { namespace: ["a."], key: "k" }],
  ["POST", "/store/items/search", {}],
  ["POST", "/store/items/search", { namespace_prefix: [""] }],
  ["POST", "/store/namespaces", { prefix: ["a.b"] }],
];
/** What LangGraph's server answers with 500. */
const failing: Request[] = [
  ["PUT", "/store/items", { namespace: ["a:b"], key: "k", value: {} }],
  ["PUT", "/store/items", { namespace: ["a\u0000"], key: "k", value: {} }],
  ["PUT", "/store/items", { namespace: ["langgraph"], key: "k", value: {} }],
  ["GET", "/store/items?key=k"],
  ["GET", "/store/items?namespace=a..b&key=k"],
];

/** Returns the statuses of requests, which are sent at once. */
export function statuses({ request }: Served, sent: readonly Request[]): Promise<number[]> {
  return Promise.all(sent.map(async (one) => (await request(...one)).status));
}

/** The checks of the long-term store. Each uses a namespace of its own. */
export const storeChecks: Readonly<Record<string, Check>> = {
  "store: put, get, put again, delete": async ({ client }) => {
    const place = [randomUUID(), "notes"] as [string, string];
    const seen: unknown[] = [await client.store.putItem(place, "k", value), await client.store.getItem(place, "k")];
    await client.store.putItem(place, "k", { other: true });
    const { created_at, updated_at, ...item } = Object(await client.store.getItem(place, "k"));
    seen.push(item, created_at <= updated_at, await client.store.deleteItem(place, "k"));
    seen.push(await client.store.getItem(place, "k"), await client.store.deleteItem(place, "k"));
    return seen;
  },
  "store: odd keys": async ({ client }) => {
    const place = [randomUUID()];
    for (const [n, key] of keys.entries()) await client.store.putItem(place, key, { n });
    const read = keys.map(async (key) => (await client.store.getItem(place, key))?.value);
    const { items } = await client.store.searchItems(place, { limit: 100 });
    return [await Promise.all(read), items.map(({ key }) => keys.indexOf(key))];
  },
  "store: search": async (server) => {
    const own = await items(server);
    const search = async (labels: string[], options: object = {}) =>
      (await server.client.store.searchItems([own, ...labels], options)).items.map(({ key }) => key);
    return {
      all: await search([]),
      under: await search(["a"]),
      page: [await search([], { limit: 2 }), await search([], { limit: 2, offset: 1 }), await search([], { limit: 0 })],
      query: await search([], { query: "three", limit: 2 }),
      filtered: await Promise.all(filters.map((filter) => search([], { filter }))),
      filteredPage: await search([], { filter: { kind: "x" }, limit: 1, offset: 1 }),
      none: await search(["nothing"]),
      item: (await server.client.store.searchItems([own], { limit: 1 })).items,
    };
  },
  "store: namespaces": async (server) => {
    const own = await items(server);
    const list = async (options: object = {}) => {
      const { namespaces } = Object(await server.client.store.listNamespaces({ prefix: [own], ...options }));
      return namespaces;
    };
    return {
      all: await list(),
      prefix: await list({ prefix: [own, "a"] }),
      any: await list({ prefix: [own, "*", "deep"] }),
      suffix: [await list({ suffix: ["deep"] }), await list({ suffix: ["*", "deep"] })],
      depth: [await list({ maxDepth: 1 }), await list({ maxDepth: 2 })],
      page: await list({ limit: 1, offset: 1 }),
    };
  },
  "store: bad input": (server) => statuses(server, bad),
  "store: bad input that LangGraph's server fails at": (server) => statuses(server, failing),
  "store: in a graph": async ({ client }) => {
    const own = randomUUID();
    await client.store.putItem([own], "theirs", { from: "client" });
    const run = { input: { do: "remember", log: [own] } };
    const { log } = Object(await client.runs.wait(null, "wire", run));
    return [log, (await client.store.searchItems([own])).items];
  },
};
