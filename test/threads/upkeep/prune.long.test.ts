import { stat } from "node:fs/promises";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, END, interrupt, START, StateGraph, StateSchema, type StateSnapshot } from "@langchain/langgraph";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { InvalidOptionError, ThreadError, ThreadInUseError } from "../../../src/base/errors.js";
import { numberOf, type Statement } from "../../../src/threads/databases/database.js";
import { threadTables } from "../../../src/threads/databases/schema.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { pruneThread } from "../../../src/threads/upkeep/prune.js";
import { coded } from "../../helpers/coded.js";
import { pick, randomFrom } from "../../helpers/random.js";
import { lastingDatabases, sqlite } from "../../matrix/databases.js";
import { agentOn, answer } from "../agents.js";
import { allOf, at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

type Graph = ReturnType<typeof stepsGraph>;

const historyOf = (graph: Graph, thread: string) => allOf(graph.getStateHistory(at(thread)));

function idOf({ config }: Pick<StateSnapshot, "config">): string {
  return String(config.configurable?.checkpoint_id);
}

/** All that a checkpoint says, but the one before it: that one may be gone. */
function essence({ parentConfig: _, ...snapshot }: StateSnapshot): unknown {
  return JSON.parse(JSON.stringify(snapshot));
}

/** Turns, replays, edits and regenerations, at the newest checkpoint or at any other. */
async function live(graph: Graph, thread: string, actions: number, random: () => number): Promise<void> {
  await graph.invoke({ messages: [question("first")] }, at(thread));
  for (let action = 0; action < actions; action += 1) {
    const history = await historyOf(graph, thread);
    const { config } = random() < 0.5 ? pick(history, random) : { config: at(thread) };
    const name = `${thread} ${action}`;
    const kind = pick(["ask", "ask", "replay", "edit"], random);
    if (kind === "ask") await graph.invoke({ messages: [question(name)] }, config);
    else if (kind === "replay") await graph.invoke(null, config);
    else await graph.updateState(config, { messages: [new AIMessage({ id: name, content: name.repeat(20) })] }, "act");
  }
}

async function goOn(graph: Graph, config: ReturnType<typeof at>): Promise<unknown> {
  return JSON.parse(JSON.stringify(await graph.invoke({ messages: [question("last")] }, config)));
}

/** How many rows a thread has in each table. */
async function rowsOf(threads: Threads, thread: string): Promise<Record<string, number>> {
  const counts = threadTables.map(async (table): Promise<[string, number]> => {
    const [row] = await checkpointerOf(threads).database.all(`select count(*) as n from ${table} where thread = $1`, [
      thread,
    ]);
    return [table, row === undefined ? 0 : numberOf(row, "n")];
  });
  return Object.fromEntries(await Promise.all(counts));
}

describe.each(lastingDatabases)("pruning in $name", (kind) => {
  test("leaves every kept checkpoint whole, whatever it deletes", async () => {
    const { threads, url } = await openKind(kind);
    const random = randomFrom(20_261_121);
    const graph = stepsGraph(threads.checkpointer);
    for (let round = 0; round < 4; round += 1) {
      const thread = `t${round}`;
      await live(graph, thread, 2 + round, random);
      const before = await historyOf(graph, thread);
      await using whole = await openThreads("memory:");
      await threads.copy(thread, whole);
      const keepTurns = Math.floor(random() * 3);
      const result = await threads.prune({ thread, keepTurns, dropBranches: random() < 0.5 });

      // Read by a process that knows nothing of the thread, too.
      const again = await openThreads(url);
      for (const reader of [graph, stepsGraph(again.checkpointer)]) {
        const after = await historyOf(reader, thread);
        expect(after).toHaveLength(before.length - result.checkpoints);
        expect(after[0] && idOf(after[0])).toBe(before[0] && idOf(before[0]));
        const known = new Map(before.map((snapshot) => [idOf(snapshot), snapshot]));
        const kept = new Set(after.map(idOf));
        for (const snapshot of after) {
          expect(essence(snapshot)).toEqual(essence(known.get(idOf(snapshot)) ?? snapshot));
          let parent = known.get(idOf(snapshot))?.parentConfig;
          while (parent && !kept.has(idOf({ config: parent })))
            parent = known.get(idOf({ config: parent }))?.parentConfig;
          expect(snapshot.parentConfig).toEqual(parent);
        }
      }
      await again.close();
      // The thread continues from there like a copy that was made before the pruning.
      const config = at(thread, idOf(pick(await historyOf(graph, thread), random)));
      expect(await goOn(graph, config)).toEqual(await goOn(stepsGraph(whole.checkpointer), config));
    }
  });

  test("keeps the last turns, and before them only the content of the newest state", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["q1", "q2", "q3"]) await graph.invoke({ messages: [question(id)] }, at("t"));
    const before = await historyOf(graph, "t");
    const perTurn = before.length / 3;
    const result = await threads.prune({ keepTurns: 2 });
    expect(result).toMatchObject({ threads: 1, checkpoints: perTurn, inUse: [] });
    expect(result.versions).toBeGreaterThan(0);
    const after = await historyOf(graph, "t");
    expect(after.map(idOf)).toEqual(before.slice(0, 2 * perTurn).map(idOf));
    expect(after[0]?.values.messages).toHaveLength(12);
    expect(after.at(-1)?.parentConfig).toBeUndefined();
    expect(await threads.prune({ keepTurns: 2 })).toMatchObject({ threads: 0, checkpoints: 0, versions: 0, items: 0 });
  });

  test("leaves no row that no kept checkpoint needs", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["q1", "q2"]) await graph.invoke({ messages: [question(id)] }, at("t"));
    await graph.updateState(at("t"), { messages: [new HumanMessage({ id: "q1", content: "Another one" })] }, "finish");
    const before = await rowsOf(threads, "t");
    await threads.prune({ keepTurns: 0 });
    const left = await rowsOf(threads, "t");
    await using elsewhere = await openThreads("memory:");
    await threads.copy("t", elsewhere);
    expect(left).toEqual(await rowsOf(elsewhere, "t"));
    for (const kindOfRow of ["checkpoints", "versions", "items", "texts", "writes"] as const) {
      expect([kindOfRow, left[`glassloop_${kindOfRow}`]]).not.toEqual([kindOfRow, before[`glassloop_${kindOfRow}`]]);
    }
    await threads.delete("t");
    expect(Object.values(await rowsOf(threads, "t"))).toEqual(threadTables.map(() => 0));
  });

  test("refuses the writes of a graph without a lease while it prunes", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["q1", "q2"]) await graph.invoke({ messages: [question(id)] }, at("t"));
    const database = checkpointerOf(threads).database;
    const batch = database.batch.bind(database);
    let refused: unknown;
    using _ = vi.spyOn(database, "batch").mockImplementation(async (statements) => {
      if (statements.some(({ sql }) => sql.startsWith("delete from glassloop_checkpoints"))) {
        refused = await graph.invoke({ messages: [question("meanwhile")] }, at("t")).catch((error: unknown) => error);
      }
      return batch(statements);
    });
    expect(await threads.prune({ keepTurns: 1 })).toMatchObject({ threads: 1 });
    expect(refused).toBeInstanceOf(ThreadInUseError);
    expect((await graph.getState(at("t"))).values.messages).toHaveLength(8);
  });

  test("starts again if the thread was written between its reading and its deletions", async () => {
    const { threads } = await openKind(kind);
    const { shared, database } = checkpointerOf(threads);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["q1", "q2"]) await graph.invoke({ messages: [question(id)] }, at("t"));
    let tries = 0;
    const write = async (statements: readonly Statement[]) => {
      tries += 1;
      if (tries === 1) await graph.invoke({ messages: [question("meanwhile")] }, at("t"));
      return shared.guard.write("t", undefined, statements);
    };
    const pruned = await pruneThread(database, write, "t", { keepTurns: 1 });
    expect(tries).toBe(2);
    expect(pruned.checkpoints).toBeGreaterThan(0);
    const left = await historyOf(graph, "t");
    expect(left.at(0)?.values.messages.at(8)).toMatchObject({ id: "meanwhile" });
    expect(left.at(-1)?.values.messages ?? []).toHaveLength(8);
    await expect(
      pruneThread(database, () => Promise.reject(new Error("the disk is full")), "t", { keepTurns: 0 }),
    ).rejects.toThrow("the disk is full");
  });

  test("keeps checkpoints written since a time", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    for (const id of ["q1", "q2"]) await graph.invoke({ messages: [question(id)] }, at("t"));
    const before = await historyOf(graph, "t");
    const third = before[3];
    const since = new Date(third?.createdAt ?? "");
    await threads.prune({ keepSince: since });
    const after = await historyOf(graph, "t");
    expect(after.map(idOf)).toEqual(before.filter(({ createdAt }) => new Date(createdAt ?? "") >= since).map(idOf));
    await threads.prune({ keepSince: new Date(Date.now() + 1000) });
    expect((await historyOf(graph, "t")).map(idOf)).toEqual(before.slice(0, 1).map(idOf));
  });

  test("keeps the ends of branches and the checkpoints where they part, unless dropBranches is true", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    await graph.invoke({ messages: [question("q1")] }, at("t"));
    const fork = (await historyOf(graph, "t")).at(1);
    const end = (await historyOf(graph, "t")).at(0);
    await graph.invoke({ messages: [question("other")] }, fork?.config);
    await graph.invoke({ messages: [question("next")] }, at("t"));
    const newest = (await historyOf(graph, "t")).at(0);
    await threads.prune({ keepTurns: 0 });
    expect((await historyOf(graph, "t")).map(idOf)).toEqual(
      [newest, end, fork].flatMap((kept) => (kept ? [idOf(kept)] : [])),
    );
    await threads.prune({ keepTurns: 0, dropBranches: true });
    expect((await historyOf(graph, "t")).map(idOf)).toEqual(newest && [idOf(newest)]);
  });

  test("keeps what a subgraph needs to resume, and deletes its checkpoints of pruned turns", async () => {
    const { threads } = await openKind(kind);
    const state = new StateSchema({ said: z.array(z.string()).default(() => []) });
    const inner = new StateGraph(state)
      .addNode("prepare", ({ said }) => ({ said: [...said, "prepared ".repeat(20)] }))
      .addNode("ask", ({ said }) => ({ said: [...said, String(interrupt("who?"))] }))
      .addEdge(START, "prepare")
      .addEdge("prepare", "ask")
      .addEdge("ask", END)
      .compile();
    const outer = new StateGraph(state)
      .addNode("inner", inner)
      .addEdge(START, "inner")
      .addEdge("inner", END)
      .compile({ checkpointer: threads.checkpointer })
      .withConfig({ durability: "sync" });
    const countOf = async () => (await allOf(threads.checkpointer.list(at("t")))).length;
    for (const name of ["Ann", "Bob"]) {
      await outer.invoke({ said: [name] }, at("t"));
      await outer.invoke(new Command({ resume: name }), at("t"));
    }
    await outer.invoke({ said: ["Eve"] }, at("t"));
    const all = await countOf();
    await threads.prune({ keepTurns: 1 });
    expect(await countOf()).toBeLessThan(all / 2);
    const { tasks } = await outer.getState(at("t"), { subgraphs: true });
    expect(tasks[0]?.state).toMatchObject({ values: { said: ["Eve", "prepared ".repeat(20)] }, next: ["ask"] });
    expect((await outer.invoke(new Command({ resume: "Cy" }), at("t"))).said).toEqual([
      "Eve",
      "prepared ".repeat(20),
      "Cy",
    ]);
  });

  test("skips a thread in use", async () => {
    const { threads } = await openKind(kind);
    const seen: unknown[] = [];
    const agent = agentOn(threads, async () => {
      seen.push(await threads.prune({ keepTurns: 0 }));
      return answer("done");
    });
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, at("free"));
    await agent.invoke({ messages: "Prune" }, at("busy"));
    expect(seen).toMatchObject([{ threads: 1, inUse: ["busy"] }]);
    expect(await threads.prune({ keepTurns: 0 })).toMatchObject({ threads: 1, inUse: [] });
  });

  test("refuses wrong arguments with an error", async () => {
    const { threads } = await openKind(kind);
    await expect(threads.prune({})).rejects.toThrow(InvalidOptionError);
    await expect(threads.prune({ keepTurns: -1 })).rejects.toThrow("whole number from 0");
    await expect(threads.prune({ keepSince: new Date("never") })).rejects.toThrow(InvalidOptionError);
    await expect(threads.prune({ thread: "nobody", keepTurns: 1 })).rejects.toThrow(
      coded(ThreadError, "thread-not-found"),
    );
    expect(await threads.prune({ keepTurns: 1 })).toMatchObject({ threads: 0, checkpoints: 0 });
  });
});

test("a file of SQLite shrinks by itself when a thread is pruned or deleted", async () => {
  const { threads, url } = await openKind(sqlite);
  const file = url.slice("sqlite:".length);
  const graph = stepsGraph(threads.checkpointer);
  for (let turn = 0; turn < 40; turn += 1) await graph.invoke({ messages: [question(`q${turn}`)] }, at("t"));
  const { database } = checkpointerOf(threads);
  const pages = async () => {
    const [row = {}] = await database.all(
      `select ${database.size} as size, freelist_count as free from pragma_freelist_count`,
    );
    return { size: numberOf(row, "size"), free: numberOf(row, "free") };
  };
  const full = await pages();
  await threads.prune({ keepTurns: 1 });
  const { size: pruned } = await stat(file);
  expect(pruned).toBeLessThan(full.size * 0.65);
  expect(await pages()).toEqual({ size: pruned, free: 0 });
  expect((await graph.getState(at("t"))).values.messages).toHaveLength(160);
  await threads.delete("t");
  const { size: empty } = await stat(file);
  // An empty file has a page for each table and index.
  expect(empty).toBeLessThan(pruned * 0.6);
  expect(await pages()).toEqual({ size: empty, free: 0 });
});
