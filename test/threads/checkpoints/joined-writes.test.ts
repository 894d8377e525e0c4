import { beforeEach, describe, expect, it } from "vitest";
import { JoinedWrites } from "../../../src/threads/checkpoints/joined-writes.js";

const row = (sql: string) => ({ statements: [{ sql, parameters: [] }] });

const AN_HOUR = 3_600_000;

let written: string[][];
let joined: JoinedWrites;
async function write(thread: string, statements: readonly { readonly sql: string }[]): Promise<void> {
  if (statements.some(({ sql }) => sql === "bad")) throw new Error("refused");
  written.push([thread, ...statements.map(({ sql }) => sql)]);
}
beforeEach(() => {
  written = [];
  joined = new JoinedWrites(write, AN_HOUR);
});

describe("what is written to a thread at about the same time", () => {
  it("is stored at once and together with what waits", async () => {
    await Promise.all([joined.storeSoon("t", row("a")), joined.storeSoon("t", row("b")), joined.store("t", row("c"))]);
    await joined.store("t", row("d"));
    expect(written).toEqual([
      ["t", "a", "b", "c"],
      ["t", "d"],
    ]);
  });

  it("does not wait for longer than a turn of the event loop", async () => {
    await joined.storeSoon("t", row("a"));
    expect(written).toEqual([["t", "a"]]);
  });

  it("stays apart from other threads", async () => {
    const waiting = joined.storeSoon("t", row("a"));
    await joined.store("other", row("b"));
    await waiting;
    expect(written).toEqual([
      ["other", "b"],
      ["t", "a"],
    ]);
  });

  it("holds content once, however many rows refer to it", async () => {
    const items = [{ hash: "h", type: "json", content: "1" }];
    const waiting = joined.storeSoon("t", { ...row("a"), items });
    await joined.store("t", { ...row("b"), items });
    await waiting;
    expect(written).toHaveLength(1);
    expect(written[0]?.filter((sql) => sql.includes("glassloop_items"))).toEqual([
      "insert into glassloop_items (thread, hash, type, content) values ($1, $2, $3, $4) on conflict do nothing",
    ]);
  });

  it("fails together, and what comes later does not", async () => {
    const waiting = joined.storeSoon("t", row("a"));
    await expect(joined.store("t", row("bad"))).rejects.toThrow("refused");
    await expect(waiting).rejects.toThrow("refused");
    await joined.store("t", row("b"));
    expect(written).toEqual([["t", "b"]]);
  });

  it("may wait for what is written next, without keeping anyone waiting", async () => {
    joined.storeWithNext("t", row("a"));
    joined.storeWithNext("t", row("b"));
    await new Promise(setImmediate);
    expect(written).toEqual([]);
    await joined.store("t", row("c"));
    expect(written).toEqual([["t", "a", "b", "c"]]);
  });

  it("waits for the next only for a moment", async () => {
    new JoinedWrites(write).storeWithNext("t", row("a"));
    await expect.poll(() => written, { timeout: 20_000 }).toEqual([["t", "a"]]);
  });

  it("is stored when somebody wants it settled", async () => {
    joined.storeWithNext("t", row("a"));
    expect(await joined.settle("t")).toBeUndefined();
    expect(written).toEqual([["t", "a"]]);
    expect(await joined.settle("where nothing was written")).toBeUndefined();
  });

  it("is not written after something before it failed that nobody was told of", async () => {
    joined.storeWithNext("t", row("bad"));
    await expect(joined.storeSoon("t", row("with it"))).rejects.toThrow("refused");
    await expect(joined.store("t", row("after it"))).rejects.toThrow("refused");
    expect(await joined.settle("t")).toEqual({ error: new Error("refused") });
    await joined.store("t", row("once it was told"));
    expect(written).toEqual([["t", "once it was told"]]);
  });
});
