import { expect, test } from "vitest";
import { databases, memory, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { checkpointerOf, openKind } from "../threads/open-kind.js";
import { as, authenticate, makeThread, question, served } from "./access/served.js";
import { Gate, steps } from "./engine/open-engine.js";

const go = { assistant_id: "steps", input: { messages: [] }, multitask_strategy: "enqueue" };

test.each(matrix([memory, sqlite], sqlite))(
  "deleting a thread ends its runs, and leaves nothing of them, in $name",
  async (kind) => {
    const { threads } = await openKind(kind);
    const gate = new Gate();
    const { send } = await served({ agents: { steps: steps(gate.pass) }, threads });
    const thread = await makeThread(send);
    for (let run = 0; run < 3; run += 1) await send("POST", `/threads/${thread}/runs`, { body: go });
    await gate.reached(0);
    expect((await send("DELETE", `/threads/${thread}`)).status).toBe(204);
    expect((await send("GET", `/threads/${thread}`)).status).toBe(404);
    const { database } = checkpointerOf(threads);
    for (const table of ["runs", "checkpoints", "threads"]) {
      expect([table, await database.all(`select * from glassloop_${table}`)]).toEqual([table, []]);
    }
  },
);

test("a thread of supersteps goes on with its agent, for its owner, and is made once", async () => {
  const { send } = await served({ authenticate });
  const ann = as("ann", send);
  const earlier = [
    { role: "user", content: "What is 1 + 1?", id: "q" },
    { role: "assistant", content: "It is 2.", id: "a" },
  ];
  const supersteps = [{ updates: [{ values: { messages: earlier }, as_node: "__start__" }] }];
  const body = { thread_id: "copied", metadata: { graph_id: "agent" }, supersteps, if_exists: "do_nothing" };
  const made = await (await ann("POST", "/threads", { body })).json();
  expect(made).toMatchObject({ status: "idle", values: { messages: [{ id: "q" }, { id: "a" }] } });
  expect(await (await ann("POST", "/threads", { body })).json()).toEqual(made);
  expect((await as("bob", send)("GET", "/threads/copied")).status).toBe(404);
  const values = Object(await (await ann("POST", "/threads/copied/runs/wait", { body: question })).json());
  expect([values.answer, values.messages[0].id, values.messages[1].id]).toEqual(["It is 4.", "q", "a"]);
});

test.each(matrix(databases, sqlite))("a superstep that fails leaves nothing of its thread, in $name", async (kind) => {
  const { threads } = await openKind(kind);
  const { send } = await served({ agents: { steps: steps() }, threads });
  const before = await makeThread(send);
  const updates = (as_node: string) => ({ updates: [{ values: { count: 1 }, as_node }] });
  const body = { metadata: { graph_id: "steps" }, supersteps: [updates("step"), updates("nobody")] };
  const response = await send("POST", "/threads", { body });
  expect([response.status, await response.json()]).toMatchObject([422, { message: expect.stringContaining("nobody") }]);
  const { database } = checkpointerOf(threads);
  expect(await database.all("select id from glassloop_threads")).toEqual([{ id: before }]);
  for (const table of ["checkpoints", "metadata", "versions", "items"]) {
    expect([table, await database.all(`select * from glassloop_${table}`)]).toEqual([table, []]);
  }
});
