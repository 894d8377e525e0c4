import { expect, test } from "vitest";
import { databases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { openKind } from "../../threads/open-kind.js";
import { agent, steps } from "../engine/open-engine.js";
import { askedThread, makeThread, question, runsOf, served } from "./served.js";

const nul = "\0";
const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));

test.each(matrix(databases, sqlite))(
  "what no database can look for is refused with a sentence, in $name",
  async (kind) => {
    const { threads } = await openKind(kind);
    const { send } = await served({ threads, agents: { agent: steps() } });
    const thread = await askedThread(send);
    const [run] = await runsOf(send, thread);
    const refusals: [string, string, object?][] = [
      ["GET", "/threads/%00"],
      ["GET", `/threads/${thread}/runs/%00`],
      ["GET", `/threads/${thread}/history?before=%00`],
      ["GET", "/glassloop/threads?after=0.1.%00"],
      ["POST", "/threads/search", { ids: [nul] }],
      ["POST", `/threads/${thread}/history`, { before: nul }],
      ["POST", `/threads/${thread}/history`, { checkpoint: { checkpoint_ns: nul } }],
      ["POST", "/threads/search", { metadata: values(11) }],
      ["POST", `/threads/${thread}/history`, { metadata: values(11) }],
      ["POST", "/threads", { metadata: values(101) }],
      ["PATCH", `/threads/${thread}`, { metadata: values(101) }],
      ["POST", `/threads/${thread}/runs`, { ...question, metadata: values(101) }],
      ["POST", "/threads", { metadata: { deep: nested(2_000) } }],
      ["POST", "/threads/search", { metadata: { deep: nested(2_000) } }],
      ["POST", `/threads/${thread}/runs`, { ...question, input: nested(2_000) }],
      ["PUT", "/store/items", { namespace: ["a"], key: "k", value: { deep: nested(2_000) } }],
      ["POST", `/threads/${thread}/state`, { values: {}, as_node: "constructor" }],
    ];
    for (const [method, path, body] of refusals) {
      const response = await send(method, path, body && { body });
      expect([method, path, response.status, await response.json()]).toEqual([
        ...[method, path, 400],
        { error: "bad-request", message: expect.any(String) },
      ]);
    }
    const elsewhere = { values: { count: 1 }, checkpoint: { checkpoint_ns: "no-such-graph" } };
    expect((await send("POST", `/threads/${thread}/state`, { body: elsewhere })).status).toBe(422);
    const unknown = { metadata: { graph_id: "no-such-graph" } };
    expect((await send("POST", "/threads", { body: unknown })).status).toBe(422);
    expect((await send("PATCH", `/threads/${thread}`, { body: unknown })).status).toBe(422);
    expect((await send("POST", "/threads/search", { body: { metadata: values(10) } })).status).toBe(200);
    // Further events than there are in a run: the stream has nothing but its end.
    const far = { headers: { "Last-Event-ID": "99999999999" } };
    expect(await (await send("GET", `/threads/${thread}/runs/${run}/stream`, far)).text()).not.toContain("error");
    expect(await (await send("POST", "/threads/count", { body: {} })).json()).toBe(1);
    expect(await runsOf(send, thread)).toEqual([run]);
  },
);

test.each([
  ["levels", '{"a":'.repeat(100_000), `1${"}".repeat(100_000)}`, "500 levels"],
  ["values", `[${"1,".repeat(100_000)}`, "1]", "100000 values"],
])("JSON of a hundred thousand %s is refused, and the server goes on", async (_, begin, end, message) => {
  const { server, send } = await served();
  const body = `{"metadata":${begin}${end}}`;
  const headers = { "Content-Type": "application/json" };
  const sent = await server.fetch(new Request("http://localhost/threads", { method: "POST", body, headers }));
  expect([sent.status, await sent.json()]).toMatchObject([400, { message: expect.stringContaining(message) }]);
  expect((await send("GET", "/ok")).status).toBe(200);
});

test("a run that is ordered again with its Idempotency-Key is made once, also at the same time, and another is refused", async () => {
  const { send } = await served({ agents: { agent: agent(), other: agent() } });
  const thread = await makeThread(send);
  const headers = { "Idempotency-Key": "order 1" };
  const order = async (body: object = {}) => {
    const response = await send("POST", `/threads/${thread}/runs`, { body: { ...question, ...body }, headers });
    return [response.status, Object(await response.json()).run_id];
  };
  const [one, twin] = await Promise.all([order(), order()]);
  expect([twin, await order()]).toEqual([one, one]);
  expect(await runsOf(send, thread)).toEqual([one[1]]);
  for (const other of [{ input: { messages: "Something else." } }, { assistant_id: "other" }])
    expect(await order(other)).toEqual([422, undefined]);
  const onAnother = await send("POST", "/runs/wait", { body: question, headers });
  expect(await onAnother.json()).toMatchObject({ answer: "It is 4." });
});

test.each(["поток 😀/b?c#d", "a\r\nX: 1"])("a thread may be called %j, and its runs have an address", async (name) => {
  const { send } = await served();
  const path = `/threads/${encodeURIComponent(name)}/runs`;
  const made = await send("POST", path, { body: { ...question, if_not_exists: "create" } });
  expect(made.status).toBe(200);
  const place = made.headers.get("Content-Location") ?? "";
  expect(await (await send("GET", `${place}/join`)).json()).toMatchObject({ answer: "It is 4." });
  expect(await (await send("GET", place)).json()).toMatchObject({ thread_id: name, status: "success" });
});

test("the metadata of a run names its own graph, and a 404 gives no advice for programs", async () => {
  const { send } = await served();
  const made = await send("POST", "/runs", { body: { ...question, metadata: { graph_id: "other", note: 1 } } });
  expect(await made.json()).toMatchObject({ metadata: { graph_id: "agent", note: 1 } });
  const missing = await send("GET", "/threads/none");
  expect(await missing.json()).toEqual({ error: "not-found", message: 'There is no thread "none".' });
});

test("HEAD takes no place of a stream, and a thread in use is refused without its place and process", async () => {
  const { send } = await served({ agents: { agent: steps(() => new Promise(() => {})) }, maxStreams: 1 });
  const thread = await makeThread(send);
  const run = (await send("POST", `/threads/${thread}/runs`, { body: question })).headers.get("Content-Location");
  for (const end of ["stream", "join"]) expect((await send("HEAD", `${run}/${end}`)).status).toBe(404);
  expect(await (await send("GET", "/metrics")).text()).toContain("glassloop_open_streams 0");
  const refused = await send("POST", `/threads/${thread}/runs`, { body: question });
  const message = expect.stringContaining("multitask_strategy");
  expect([refused.status, await refused.json()]).toEqual([422, { error: "unprocessable", message }]);
});
