import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, ThreadsDatabaseError } from "../../src/index.js";
import { type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import type { Database } from "../../src/threads/databases/database.js";
import { openSqlite } from "../../src/threads/databases/sqlite.js";

const thread = { configurable: { thread_id: "t1" } };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-disk-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** An agent that pays 1 and 2 at once, then 3, then answers. Its model goes by what it is shown. */
function payingAgent(database: Database, paid: number[], prompts: string[]) {
  const steps = [[1, 2], [3]];
  const reply: ScriptedReplyMaker = (messages) => {
    const step = messages.filter((message) => message.getType() === "ai").length;
    prompts.push(`step ${step}`);
    const amounts = steps[step];
    if (amounts === undefined) return "All is paid.";
    return { content: "I pay", tool_calls: amounts.map((amount) => ({ name: "pay", args: { amount } })) };
  };
  const pay = tool(({ amount }) => `paid ${paid[paid.push(amount) - 1]}`, {
    name: "pay",
    description: "Pays.",
    schema: z.object({ amount: z.number() }),
    metadata: { effects: true },
  });
  return createAgent({
    model: scriptedModel(Array<ScriptedReplyMaker>(20).fill(reply)),
    tools: [pay],
    protocol: "tool-calling",
    checkpointer: new ThreadCheckpointer(database),
  });
}

/** A database that takes so many writes, and refuses every one after them until it gets more room. */
function withRoomFor(writes: number, database: Database): Database & { makeRoom(): void } {
  let left = writes;
  const count = () => {
    left -= 1;
    if (left < 0) throw new ThreadsDatabaseError("the disk", "the disk is full. Make room and try again.");
  };
  return {
    makeRoom: () => {
      left = Number.POSITIVE_INFINITY;
    },
    async batch(statements, options) {
      if (!options?.reading) count();
      return database.batch(statements, options);
    },
    checkVersion: () => database.checkVersion(),
    all: (sql, parameters) => database.all(sql, parameters),
    place: database.place,
    size: database.size,
    close: () => database.close(),
  };
}

describe("a disk that is full", () => {
  it("at any write ends the run with a clear error; with free space again the thread opens, and no call is paid twice", async () => {
    let failures = 0;
    for (let writes = 0; ; writes += 1) {
      const database = await openSqlite(join(folder, `${writes}.db`));
      const paid: number[] = [];
      const prompts: string[] = [];
      const full = withRoomFor(writes, database);
      const agent = payingAgent(full, paid, prompts);
      const ended: unknown = await agent.invoke({ messages: "Pay" }, thread).catch((error: unknown) => error);
      if (!(ended instanceof Error)) break;
      failures += 1;
      expect(ended).toBeInstanceOf(ThreadsDatabaseError);
      full.makeRoom();
      const isKept = (await agent.getState(thread)).createdAt !== undefined;
      const state = await agent.invoke(isKept ? null : { messages: "Pay" }, thread);
      expect(state.answer).toBe("All is paid.");
      expect(state.messages.filter((message) => message.getType() === "human")).toHaveLength(1);
      expect(paid.length).toBe(new Set(paid).size);
      expect(prompts.length).toBeLessThanOrEqual(4);
      await database.close();
    }
    expect(failures).toBeGreaterThan(10);
  });

  it("that SQLite itself reports loses nothing either", async () => {
    const database = await openSqlite(join(folder, "threads.db"));
    const [size] = await database.all("pragma page_count");
    const paid: number[] = [];
    const agent = payingAgent(database, paid, []);
    await database.all(`pragma max_page_count = ${Number(size?.page_count) + 1}`);
    await expect(agent.invoke({ messages: "Pay ".repeat(2_000) }, thread)).rejects.toThrow(/the disk is full/);
    await database.all("pragma max_page_count = 100000");
    expect((await agent.invoke({ messages: "Pay ".repeat(2_000) }, thread)).answer).toBe("All is paid.");
    expect(paid).toEqual([1, 2, 3]);
    await database.close();
  });
});

it("a read-only database can still be read", async () => {
  const database = await openSqlite(join(folder, "threads.db"));
  const agent = payingAgent(database, [], []);
  await agent.invoke({ messages: "Pay" }, thread);
  await database.all("pragma query_only = on");
  const again = agent.invoke({ messages: "Pay" }, thread);
  await expect(again).rejects.toThrow(ThreadsDatabaseError);
  await expect(again).rejects.toThrow(/it cannot be written/);
  expect((await agent.getState(thread)).values).toMatchObject({ answer: "All is paid.", turn: { number: 1 } });
  await database.all("pragma query_only = off");
  expect((await agent.invoke({ messages: "Pay" }, thread)).turn.number).toBe(2);
  await database.close();
});
