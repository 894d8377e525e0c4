import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { ThreadsDatabaseError } from "../../../src/base/errors.js";
import { listen } from "../../../src/cli/serve/node-server.js";
import { memory } from "../../matrix/databases.js";
import { checkpointerOf, openKind } from "../../threads/open-kind.js";
import { steps } from "../engine/open-engine.js";
import { makeThread, question, runsOf, served } from "./served.js";

const go = { assistant_id: "steps", input: { messages: [] } };
const never = () => new Promise<void>(() => {});

test("runs above the most at once wait, and above the most that wait are refused with 429", async () => {
  const { send } = await served({ agents: { steps: steps(never) }, maxRuns: 1, maxQueuedRuns: 2 });
  const statuses = [];
  for (let run = 0; run < 4; run += 1) statuses.push((await send("POST", "/runs", { body: go })).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect(await (await send("POST", "/threads/count", { body: {} })).json()).toBe(0);
  const thread_id = await makeThread(send);
  const refused = await send("POST", `/threads/${thread_id}/runs/stream`, { body: go });
  expect(refused.status).toBe(429);
  expect([await refused.json(), refused.headers.get("Retry-After")]).toMatchObject([{ error: "too-many" }, "5"]);
  expect(await runsOf(send, thread_id)).toEqual([]);
});

test("one thread takes a tenth of the places of runs that wait", async () => {
  const { send } = await served({ agents: { steps: steps(never) }, maxRuns: 1, maxQueuedRuns: 20 });
  const [full, other] = [await makeThread(send), await makeThread(send)];
  const start = async (thread: string) =>
    (await send("POST", `/threads/${thread}/runs`, { body: { ...go, multitask_strategy: "enqueue" } })).status;
  const statuses = [];
  for (const thread of [full, full, full, full, other]) statuses.push(await start(thread));
  expect(statuses).toEqual([200, 200, 200, 429, 200]);
});

test("a reader that comes when the events are deleted is told so, and nothing is logged", async () => {
  const log = vi.spyOn(console, "error");
  const { send } = await served({ agents: { steps: steps() }, keepEventsMs: 1 });
  const run = await send("POST", "/runs/stream", { body: { ...go, on_completion: "keep" } });
  await run.text();
  const read = async () => (await send("GET", `${run.headers.get("Content-Location")}/stream`)).text();
  const sentence = /event: error\ndata: {"error":"not-found","message":"The events of the run .* are deleted/;
  await expect.poll(read).toMatch(sentence);
  expect(log).not.toHaveBeenCalled();
});

test("a client may lower the recursion limit of a graph, and not raise it", async () => {
  const { send } = await served({ agents: { steps: steps().withConfig({ recursionLimit: 2 }), free: steps() } });
  const ended = async (assistant_id: string, recursion_limit: number) =>
    (await send("POST", "/runs/wait", { body: { ...go, assistant_id, config: { recursion_limit } } })).json();
  const isTooMany = { __error__: { error: "GraphRecursionError" } };
  expect(await ended("steps", 50)).toMatchObject(isTooMany);
  expect(await ended("free", 2)).toMatchObject(isTooMany);
  expect(await ended("free", 50)).toMatchObject({ count: 3 });
});

test("streams above the most that may be open are refused, and start no run; one that is left makes room", async () => {
  const { send } = await served({ agents: { steps: steps(never) }, maxStreams: 2 });
  const reader = new AbortController();
  const [one, other, third] = [await makeThread(send), await makeThread(send), await makeThread(send)];
  const first = await send("POST", `/threads/${one}/runs/stream`, { body: go, signal: reader.signal });
  await send("POST", `/threads/${other}/runs/wait`, { body: go });
  for (const way of ["stream", "wait"]) {
    const refused = await send("POST", `/threads/${third}/runs/${way}`, { body: go });
    expect([way, refused.status]).toEqual([way, 503]);
  }
  expect(await runsOf(send, third)).toEqual([]);
  const [run_id] = await runsOf(send, one);
  expect((await send("GET", `/threads/${one}/runs/${run_id}/join`)).status).toBe(503);
  await first.body?.cancel();
  await expect.poll(async () => (await send("GET", `/threads/${one}/runs/${run_id}/stream`)).status).toBe(200);
});

test("a client that is slow to send its request gets a 408, and others are served meanwhile", async () => {
  const { server } = await served();
  await using listening = await listen(
    { host: "127.0.0.1", port: 0 },
    { requestTimeout: 300, connectionsCheckingInterval: 50 },
  );
  listening.serve(server);
  const slow = connect(listening.port, "127.0.0.1");
  onTestFinished(() => void slow.destroy());
  slow.write('POST /threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"metadata"');
  expect((await fetch(`http://127.0.0.1:${listening.port}/ok`)).status).toBe(200);
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 408 /);
});

test("the error of a run has no secret, and a stack in the log alone, not in its events, its row and its thread", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const error = new RangeError("no answer from postgres://me:hunter22@db with sk-abcdefghijklmnop");
  const graph = steps(() => Promise.reject(error));
  const { send } = await served({ agents: { steps: graph } });
  const thread_id = await makeThread(send);
  const body = { ...go, stream_mode: ["values", "updates", "tasks", "debug"] };
  const events = await (await send("POST", `/threads/${thread_id}/runs/stream`, { body })).text();
  const message = "no answer from postgres://me:[secret]@db with [secret]";
  expect(events).toContain(`{"error":"RangeError","message":"${message}"}`);
  const pages = ["", "/runs", "/state", "/history"].map((page) => send("GET", `/threads/${thread_id}${page}`));
  const shown = [events, ...(await Promise.all(pages.map(async (page) => (await page).text())))].join("\n");
  expect(shown).not.toMatch(/hunter22|abcdefghijklmnop|limits\.test|"stack"/);
  expect(inspect(log.mock.calls)).toMatch(/RangeError.*: no answer from .*\[secret\]\n\s+at /);
  expect(inspect(log.mock.calls)).not.toMatch(/hunter22|abcdefghijklmnop/);
});

test("health writes to the database, once a second at most, and says when it is lost or the server ends", async () => {
  const { threads } = await openKind(memory);
  const { database } = checkpointerOf(threads);
  const { batch } = database;
  let writes = 0;
  let isLost = false;
  database.batch = async (statements, options) => {
    writes += statements[0]?.sql.includes("glassloop_meta") ? 1 : 0;
    if (isLost) throw new ThreadsDatabaseError(database.place, "the disk is full.");
    return batch.call(database, statements, options);
  };
  const { send, server } = await served({ threads });
  const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await send("GET", "/health")).status));
  expect([[...new Set(statuses)], writes]).toEqual([[200], 1]);
  isLost = true;
  vi.setSystemTime(Date.now() + 2_000);
  onTestFinished(() => void vi.useRealTimers());
  const lost = await send("GET", "/health");
  // Where the database is, nobody needs to know who has no key.
  const message = "The database of the threads cannot be used: the disk is full.";
  expect([lost.status, await lost.json()]).toEqual([503, { error: "unavailable", message }]);
  isLost = false;
  await server.close(0);
  expect((await send("GET", "/health")).status).toBe(503);
});

test("metrics have the runs by status, the open streams and the age of the queue, for who has a key", async () => {
  const { send } = await served({ agents: { steps: steps(never) }, maxRuns: 1, keys: ["secret-key"] });
  const headers = { "X-Api-Key": "secret-key" };
  await send("POST", "/runs/stream", { body: go, headers });
  await send("POST", "/runs", { body: go, headers });
  expect((await send("GET", "/metrics")).status).toBe(401);
  const response = await send("GET", "/metrics", { headers });
  expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  const metrics = await response.text();
  expect(metrics).toContain('glassloop_runs{status="pending"} 1\n');
  expect(metrics).toContain('glassloop_runs{status="running"} 1\n');
  expect(metrics).toContain("# TYPE glassloop_open_streams gauge\nglassloop_open_streams 1\n");
  expect(metrics).toMatch(/^glassloop_queue_age_seconds \d+\.\d+$/m);
});

test("with owners, metrics need a key of the server, as they count what all owners have", async () => {
  const { send } = await served({ authenticate: () => "ann" });
  expect((await send("POST", "/runs", { body: question })).status).toBe(200);
  expect((await send("GET", "/metrics")).status).toBe(401);
});
