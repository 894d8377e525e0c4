import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { StreamPlaces } from "../../../src/server/access/stream-places.js";
import { makeApp } from "../../../src/server/app.js";
import { boundGraph } from "../../../src/server/engine/served-graph.js";
import { Graphs } from "../../../src/server/graphs.js";
import { Health } from "../../../src/server/health.js";
import { countRuns } from "../../../src/threads/runs/run-counts.js";
import { ThreadDirectory } from "../../../src/threads/runs/thread-directory.js";
import { ItemStore } from "../../../src/threads/store/item-store.js";
import { memory } from "../../matrix/databases.js";
import { checkpointerOf, openKind } from "../../threads/open-kind.js";
import { agent, startEngine } from "../engine/open-engine.js";
import { as, authenticate, makeThread, question, runsOf, sendTo, served } from "./served.js";

/** Starts an app with the owner that a header names, so that its routes can be walked. */
async function startApp() {
  const { threads } = await openKind(memory);
  const checkpointer = checkpointerOf(threads);
  const graphs = new Map([["agent", boundGraph(agent(), checkpointer)]]);
  const engine = await startEngine(threads, Object.fromEntries(graphs));
  const parts = {
    engine,
    graphs: new Graphs(graphs),
    threads: new ThreadDirectory(checkpointer),
    streams: new StreamPlaces(10),
    clientSettings: "all" as const,
    health: new Health(checkpointer, engine),
    storeOf: (owner: string | undefined) => new ItemStore(checkpointer.database, owner),
    countRuns: () => countRuns(checkpointer.database),
  };
  return { threads, app: makeApp(parts, { authenticate }) };
}

test("another owner gets a 404 on every route of a thread, sees no item of the store, and changes nothing", async () => {
  const { app, threads } = await startApp();
  const send = sendTo({ fetch: (request) => app.fetch(request), close: async () => {} });
  const [ann, bob] = [as("ann", send), as("bob", send)];
  const thread_id = await makeThread(ann, { secret: 1 });
  await (await ann("POST", `/threads/${thread_id}/runs/wait`, { body: question })).text();
  const [run_id = ""] = await runsOf(ann, thread_id);
  const state = await (await ann("GET", `/threads/${thread_id}/state`)).json();
  const { checkpoint_id } = z.object({ checkpoint: z.object({ checkpoint_id: z.string() }) }).parse(state).checkpoint;
  const seen = async () => {
    const pages = ["", "/state", "/runs", "/history"].map((page) => ann("GET", `/threads/${thread_id}${page}`));
    return Promise.all(pages.map(async (page) => (await page).json()));
  };
  const before = await seen();

  const ids: Record<string, string> = { thread: thread_id, run: run_id, checkpoint: checkpoint_id };
  const routes = app.routes.filter(({ method, path }) => method !== "ALL" && /:(?:thread|run)\b/.test(path));
  expect(routes.length).toBeGreaterThan(15);
  const body = {
    ...question,
    if_not_exists: "create",
    metadata: { taken: true },
    values: {},
    multitask_strategy: "rollback",
  };
  for (const { method, path } of routes) {
    const url = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "agent");
    const response = await bob(method, url, method === "GET" ? {} : { body });
    expect([method, path, response.status]).toEqual([method, path, 404]);
    expect(await response.text()).not.toContain("secret");
  }

  expect(await seen()).toEqual(before);
  for (const route of ["/threads/search", "/threads/count"]) {
    const found = await bob("POST", route, { body: { ids: [thread_id] } });
    expect(await found.text()).toMatch(/^(?:0|\[\])$/);
  }
  const item = { namespace: ["a"], key: "k" };
  await ann("PUT", "/store/items", { body: { ...item, value: { secret: 1 } } });
  const ofAnn = async () => (await ann("GET", "/store/items?namespace=a&key=k")).json();
  const put = await ofAnn();
  const storeRoutes = app.routes.filter(({ method, path }) => method !== "ALL" && path.startsWith("/store/"));
  expect(storeRoutes).toHaveLength(5);
  for (const { method, path } of storeRoutes) {
    const given = { ...item, value: { of: "bob" }, namespace_prefix: [] };
    const response = await bob(method, `${path}?namespace=a&key=k`, method === "GET" ? {} : { body: given });
    expect(await response.text()).not.toMatch(/secret|ann/);
  }
  expect(await ofAnn()).toEqual(put);
  // Threads with an owner are not seen by a server that knows no owners, nor those without one by an owner.
  const { send: everybody } = await served({ threads });
  expect((await everybody("GET", `/threads/${thread_id}`)).status).toBe(404);
  expect((await everybody("GET", `/threads/${thread_id}/runs/${run_id}`)).status).toBe(404);
  const ofNobody = await makeThread(everybody);
  expect((await ann("GET", `/threads/${ofNobody}`)).status).toBe(404);
});

test("a request of nobody is refused, and one that cannot be judged has no effect", async () => {
  const { app } = await startApp();
  const send = sendTo({ fetch: (request) => app.fetch(request), close: async () => {} });
  expect((await send("POST", "/threads", { body: {} })).status).toBe(401);
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const broken = await served({
    authenticate: () => {
      throw new Error("the directory of users is gone: postgres://admin:hunter22@users");
    },
  });
  const response = await broken.send("POST", "/threads", { body: {} });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toMatch(/hunter22|users/);
});
