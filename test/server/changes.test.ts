import { expect, onTestFinished, test, vi } from "vitest";
import { ThreadChanges } from "../../src/server/engine/thread-changes.js";
import { openThreads } from "../../src/threads/open.js";
import { ThreadDirectory } from "../../src/threads/runs/index.js";
import { approvalRequests, decide } from "../../src/turns/approvals.js";
import { lastingDatabases, memory, postgres, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { answer, payerOn } from "../threads/agents.js";
import { at, checkpointerOf, openKind } from "../threads/open-kind.js";
import { as, authenticate, makeThread, type Send, served } from "./access/served.js";
import { changesOf } from "./changes-reader.js";

const pays = " I pay\nAction: pay\nAction Input: 5";
const read = async (send: Send, after?: string) =>
  changesOf(
    await send("GET", "/glassloop/changes", after === undefined ? {} : { headers: { "Last-Event-ID": after } }),
  );

test.each(matrix(lastingDatabases, sqlite))(
  "the changes tell what another program does with threads, whatever its clock says, in $name",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    await using others = await openThreads(url);
    const { send } = await served({ threads });
    const changes = await read(send);
    expect(await changes.next()).toMatchObject({ event: "reload" });
    const payer = payerOn(others, () => "Paid.", [pays, answer("Done."), pays], "always");
    const [request] = approvalRequests(await payer.invoke({ messages: "Pay." }, at("t")));
    const waits = { id: "t", status: "waiting", waiting: [{ requests: [{ tool: "pay" }] }] };
    await changes.until("thread", waits);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await payer.invoke(decide({ [request?.id ?? ""]: "approve" }), at("t"));
    await changes.until("thread", { id: "t", status: "idle", stopReason: "answered", turns: 1 });
    await others.delete("t");
    await changes.until("deleted", { id: "t" });
    await payer.invoke({ messages: "Pay again." }, at("t"));
    await changes.until("thread", { ...waits, title: "Pay again." });
  },
);

test("a reader sees its owner's threads only, and gets what it missed, or loads the list again", async () => {
  const { send, server } = await served({ authenticate });
  const [ann, bob] = [as("ann", send), as("bob", send)];
  const [annReads, bobReads] = [await read(ann), await read(bob)];
  const { id: first } = await annReads.next();
  expect(await bobReads.next()).toMatchObject({ event: "reload" });
  const thread = await makeThread(ann);
  await annReads.until("thread", { id: thread, owner: "ann", status: "idle" });
  await annReads.leave();

  await ann("PATCH", `/threads/${thread}`, { body: { metadata: { topic: "x" } } });
  const again = await read(ann, first);
  await again.until("thread", { id: thread, metadata: { topic: "x" } });
  await ann("DELETE", `/threads/${thread}`);
  await again.until("deleted", { id: thread });
  expect(again.seen).not.toContain("reload");
  expect(await (await read(ann, "another.7")).next()).toMatchObject({ event: "reload" });

  const own = await makeThread(bob);
  expect(await bobReads.next()).toMatchObject({ event: "thread", data: { id: own } });
  expect((await send("HEAD", "/glassloop/changes", { headers: { "X-User": "ann" } })).status).toBe(404);
  await server.close(0);
  expect(await again.rest()).not.toContain("event:");
});

test("on Postgres signals tell what another program does", async () => {
  const { threads, url } = await openKind(postgres);
  await using others = await openThreads(url);
  const checkpointer = checkpointerOf(threads);
  const directory = new ThreadDirectory(checkpointer);
  const changes = new ThreadChanges(checkpointer, directory, ({ id, status }) => `${id} ${status}`, 3_600_000);
  onTestFinished(() => changes.close());
  const reader = changes.follow(() => true, "", new AbortController().signal);
  expect((await reader.next()).value).toMatchObject({ event: "reload" });
  await payerOn(others, () => "Paid.", [pays], "always").invoke({ messages: "Pay." }, at("t"));
  while ((await reader.next()).value?.json !== "t waiting");
});

test("readers share each look, and one that lacks too much loads the list again", async () => {
  const checkpointer = checkpointerOf((await openKind(memory)).threads);
  const { database } = checkpointer;
  const directory = new ThreadDirectory(checkpointer);
  const changes = new ThreadChanges(checkpointer, directory, ({ id }) => id, 20);
  onTestFinished(() => changes.close());
  const listed = vi.spyOn(directory, "listed");
  const leaving = new AbortController();
  const readers = Array.from({ length: 500 }, () => changes.follow(() => true, "", leaving.signal));
  const nextOfAll = async () =>
    new Set((await Promise.all(readers.map((reader) => reader.next()))).map(({ value }) => value?.json));
  expect(await nextOfAll()).toEqual(new Set(["null"]));
  await directory.create("t", undefined, {});
  expect(await nextOfAll()).toEqual(new Set(["t"]));
  expect(listed).toHaveBeenCalledTimes(1);

  const [slow, quick] = [readers[0], readers[1]];
  const make = (count: number, name: string) =>
    database.batch(
      Array.from({ length: count }, (_, n) => [
        {
          sql: "insert into glassloop_threads (id, created_at, updated_at, turns) values ($1, '', '', 0)",
          parameters: [`${name}${n}`],
        },
        { sql: "insert into glassloop_changes (thread) values ($1)", parameters: [`${name}${n}`] },
      ]).flat(),
    );
  for (const name of ["a", "c"]) {
    await make(300, name);
    for (let left = 300; left > 0; left -= 1) expect((await quick?.next())?.value).toMatchObject({ event: "thread" });
  }
  expect((await slow?.next())?.value).toMatchObject({ event: "reload" });
  await make(1001, "b");
  expect((await slow?.next())?.value).toMatchObject({ event: "reload" });
  leaving.abort();
  expect((await slow?.next())?.done).toBe(true);
});
