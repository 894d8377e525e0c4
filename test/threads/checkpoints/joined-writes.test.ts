import { beforeEach, describe, expect, it } from "vitest";
import { JoinedWrites, type Writing } from "../../../src/threads/checkpoints/joined-writes.js";

const row = (sql: string) => ({ statements: [{ sql, parameters: [] }] });

const AN_HOUR = 3_600_000;

let written: string[][];
let joined: JoinedWrites;
const run = (thread: string, owner?: string): Writing => ({ thread, owner });
async function write({ thread }: Writing, statements: readonly { readonly sql: string }[]): Promise<void> {
  if (statements.some(({ sql }) => sql === "bad")) throw new Error("refused");
  written.push([thread, ...statements.map(({ sql }) => sql)]);
}
beforeEach(() => {
  written = [];
  joined = new JoinedWrites(write, AN_HOUR);
});

describe("writes to a thread at about the same time", () => {
  it("are stored at once, together with waiting writes", async () => {
    await Promise.all([
      joined.storeSoon(run("t"), row("a")),
      joined.storeSoon(run("t"), row("b")),
      joined.store(run("t"), row("c")),
    ]);
    await joined.store(run("t"), row("d"));
    expect(written).toEqual([
      ["t", "a", "b", "c"],
      ["t", "d"],
    ]);
  });

  it("stay apart from other threads, and wait no longer than a turn of the event loop", async () => {
    const waiting = joined.storeSoon(run("t"), row("a"));
    await joined.store(run("other"), row("b"));
    await waiting;
    expect(written).toEqual([
      ["other", "b"],
      ["t", "a"],
    ]);
  });

  it("have content once, however many rows refer to it", async () => {
    const items = [{ hash: "h", type: "json", content: "1" }];
    const waiting = joined.storeSoon(run("t"), { ...row("a"), items });
    await joined.store(run("t"), { ...row("b"), items });
    await waiting;
    expect(written).toHaveLength(1);
    expect(written[0]?.filter((sql) => sql.includes("glassloop_items"))).toEqual([
      "insert into glassloop_items (thread, hash, type, content) values ($1, $2, $3, $4) on conflict do nothing",
    ]);
  });

  it("may wait for the next write, without making anyone wait", async () => {
    joined.storeWithNext(run("t"), row("a"));
    joined.storeWithNext(run("t"), row("b"));
    await new Promise(setImmediate);
    expect(written).toEqual([]);
    await joined.store(run("t"), row("c"));
    expect(written).toEqual([["t", "a", "b", "c"]]);
  });

  it("wait for the next write only for a moment", async () => {
    new JoinedWrites(write).storeWithNext(run("t"), row("a"));
    await expect.poll(() => written).toEqual([["t", "a"]]);
  });

  it("are stored when a caller settles them", async () => {
    joined.storeWithNext(run("t", "me"), row("a"));
    joined.storeWithNext(run("t", "another"), row("b"));
    await joined.settle("t");
    expect(written).toEqual([
      ["t", "a"],
      ["t", "b"],
    ]);
  });

  it("are not stored after an earlier write failed without an error for their run", async () => {
    const me = run("t", "me");
    joined.storeWithNext(me, row("bad"));
    await expect(joined.storeSoon(me, row("with it"))).rejects.toThrow("refused");
    await joined.settle("t");
    await expect(joined.store(me, row("after it"))).rejects.toThrow("refused");
    await joined.store(run("t", "another"), row("of another run"));
    expect(await joined.end(me)).toEqual({ error: new Error("refused") });
    expect(await joined.end(me)).toBeUndefined();
    await joined.store(me, row("once it was told"));
    expect(written).toEqual([
      ["t", "of another run"],
      ["t", "once it was told"],
    ]);
  });

  it("are never stored at the same time as other rows of their thread", async () => {
    const underWay = new Map<string, () => void>();
    const slow = new JoinedWrites(async ({ owner = "" }) => {
      await new Promise<void>((resolve) => underWay.set(owner, resolve));
      written.push([owner]);
    });
    const first = slow.store(run("t", "first"), row("a"));
    const second = slow.store(run("t", "second"), row("b"));
    const other = slow.store(run("other", "third"), row("c"));
    await new Promise(setImmediate);
    expect([...underWay.keys()]).toEqual(["first", "third"]);
    const settled = slow.settle("t").then(() => written.push(["settled"]));
    underWay.get("third")?.();
    await other;
    underWay.get("first")?.();
    await first;
    await new Promise(setImmediate);
    underWay.get("second")?.();
    await Promise.all([second, settled]);
    expect(written.flat()).toEqual(["third", "first", "second", "settled"]);
  });
});
