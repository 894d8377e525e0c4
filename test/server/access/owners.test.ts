import { Hono } from "hono";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { memory } from "../../matrix/databases.js";
import { openKind } from "../../threads/open-kind.js";
import { as, askedThread, authenticate, makeThread, question, runsOf, served } from "./served.js";

test("another owner gets a 404 on every route of a thread, sees no item of the store, and who has no right a 403 on all", async () => {
  const { threads } = await openKind(memory);
  // An app with a base path is of the class below.
  const base: Hono = Object.getPrototypeOf(Hono.prototype);
  using routing = vi.spyOn(base, "route");
  const { send } = await served({ threads, authenticate });
  const app: Hono | undefined = routing.mock.results.at(-1)?.value;
  const allRoutes = app?.routes.filter(({ method }) => method !== "ALL") ?? [];
  const [ann, bob] = [as("ann", send), as("bob", send)];
  const thread_id = await askedThread(ann, { secret: 1 });
  const [run_id = ""] = await runsOf(ann, thread_id);
  const state = await (await ann("GET", `/threads/${thread_id}/state`)).json();
  const { checkpoint_id } = z.object({ checkpoint: z.object({ checkpoint_id: z.string() }) }).parse(state).checkpoint;
  const seen = async () => {
    const pages = ["", "/state", "/runs", "/history"].map((page) => ann("GET", `/threads/${thread_id}${page}`));
    return Promise.all(pages.map(async (page) => (await page).json()));
  };
  const before = await seen();

  const ids: Record<string, string> = { thread: thread_id, run: run_id, checkpoint: checkpoint_id, number: "1" };
  // A stream of a thread that is not there waits for it: see follow.test.ts.
  const routes = allRoutes.filter(({ path }) => /:(?:thread|run)\b/.test(path) && !path.endsWith("/stream/events"));
  expect(routes.length).toBeGreaterThan(15);
  const creating = { if_not_exists: "create", multitask_strategy: "rollback" };
  const command = { id: 1, method: "run.start", params: question };
  const body = { ...question, ...creating, ...command, metadata: { taken: true }, values: {} };
  for (const { method, path } of routes) {
    const place = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "agent");
    const url = path.endsWith("/difference") ? `${place}?checkpoint=${checkpoint_id}` : place;
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
  const storeRoutes = allRoutes.filter(({ path }) => path.startsWith("/store/"));
  expect(storeRoutes).toHaveLength(5);
  for (const { method, path } of storeRoutes) {
    const given = { ...item, value: { of: "bob" }, namespace_prefix: [] };
    const response = await bob(method, `${path}?namespace=a&key=k`, method === "GET" ? {} : { body: given });
    expect(await response.text()).not.toMatch(/secret|ann/);
  }
  expect(await ofAnn()).toEqual(put);
  const { send: powerless } = await served({ threads, authenticate: () => ({ owner: "ann", may: [] }) });
  const open = ["/ok", "/info", "/health", "/metrics", "/", "/index.html", "/icon.svg", "/assets/:file"];
  for (const { method, path } of allRoutes.filter((route) => !open.includes(route.path))) {
    const url = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "agent");
    const { status } = await powerless(method, url, method === "GET" ? {} : { body });
    expect([method, path, status]).toEqual([method, path, 403]);
  }
  // Threads and items with an owner are not seen by a server that knows no owners, nor those without one by an owner.
  const { send: everybody } = await served({ threads });
  expect(await (await everybody("GET", "/store/items?namespace=a&key=k")).json()).toBeNull();
  expect((await everybody("GET", `/threads/${thread_id}`)).status).toBe(404);
  expect((await everybody("GET", `/threads/${thread_id}/runs/${run_id}`)).status).toBe(404);
  const ofNobody = await makeThread(everybody);
  expect((await ann("GET", `/threads/${ofNobody}`)).status).toBe(404);
});

test("a request of nobody is refused, and one that cannot be judged has no effect", async () => {
  const { send } = await served({ authenticate });
  expect((await send("POST", "/threads", { body: {} })).status).toBe(401);
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const broken = await served({
    authenticate: () => {
      throw new Error("the directory of users is gone: postgres://admin:hunter22@users");
    },
  });
  const odd = await served({ authenticate: () => Object({ owner: "ann", may: ["all"] }) });
  expect((await odd.send("POST", "/threads", { body: {} })).status).toBe(500);
  const response = await broken.send("POST", "/threads", { body: {} });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toMatch(/hunter22|users/);
});
