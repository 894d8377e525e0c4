import { AIMessage, type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { sharedParts, ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { type Database, numberOf } from "../../src/threads/databases/database.js";
import { openSqlite } from "../../src/threads/databases/sqlite.js";
import { at } from "./open-kind.js";
import { question, stepsGraph } from "./steps-graph.js";

async function open(): Promise<Database> {
  const database = await openSqlite(":memory:");
  onTestFinished(() => database.close());
  return database;
}

/** How many queries a database is asked until then. */
async function queriesOf(database: Database, work: () => Promise<unknown>): Promise<number> {
  const queries = vi.spyOn(database, "all");
  await work();
  const { length } = queries.mock.calls;
  queries.mockRestore();
  return length;
}

async function ask(database: Database, thread: string, turns: number, from = 0): Promise<void> {
  const graph = stepsGraph(new ThreadCheckpointer(database));
  for (let turn = from; turn < from + turns; turn += 1) {
    await graph.invoke({ messages: [question(`q${turn}`)] }, at(thread));
  }
}

async function count(database: Database, sql: string): Promise<number> {
  const [row] = await database.all(sql);
  return row === undefined ? 0 : numberOf(row, "n");
}

const contentSize = `select (select sum(length(content)) from glassloop_items) + (select sum(length(body)) from glassloop_versions)
  + (select sum(length(body)) from glassloop_writes) + (select sum(length(body)) from glassloop_checkpoints) as n`;

test("a thread grows by the same number of bytes with every turn", async () => {
  const database = await open();
  const sizes: number[] = [0];
  for (let part = 0; part < 4; part += 1) {
    await ask(database, "t", 10, part * 10);
    sizes.push(await count(database, contentSize));
  }
  const [first = 0, , , last = 0] = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
  expect(last).toBeLessThan(first * 1.1);
});

test("a new process reads a thread in a number of queries that hardly depends on its length", async () => {
  const database = await open();
  await ask(database, "t", 60);
  const graph = stepsGraph(new ThreadCheckpointer(database));
  expect(await queriesOf(database, () => graph.getState(at("t")))).toBeLessThan(10);
  expect((await graph.getState(at("t"))).values.messages).toHaveLength(60 * 4);
});

test("a process that has cached a thread reads no value again", async () => {
  const database = await open();
  const graph = stepsGraph(new ThreadCheckpointer(database));
  await graph.invoke({ messages: [question("q")] }, at("t"));
  await graph.getState(at("t"));
  expect(await queriesOf(database, () => graph.getState(at("t")))).toBe(2);
});

test("a process that read a lot forgets what it used longest ago, and reads it again", async () => {
  const database = await open();
  const graph = stepsGraph(new ThreadCheckpointer(database, sharedParts(database, 1_000)));
  for (const thread of ["t", "u"]) await graph.invoke({ messages: [question("q")] }, at(thread));
  for (const thread of ["t", "u"]) {
    expect(await queriesOf(database, () => graph.getState(at(thread)))).toBeGreaterThan(2);
    expect((await graph.getState(at(thread))).values.messages).toHaveLength(4);
  }
});

test("a list that is changed in its middle, or loses its end, is read in its new form", async () => {
  const database = await open();
  await ask(database, "t", 2);
  const graph = stepsGraph(new ThreadCheckpointer(database));
  const textsOf = async (): Promise<string[]> => {
    const { values } = await stepsGraph(new ThreadCheckpointer(database)).getState(at("t"));
    return values.messages.map(({ text }: BaseMessage) => text);
  };
  const before = await textsOf();
  expect(before).toHaveLength(8);
  await graph.updateState(at("t"), { messages: [question("q1")] }, "finish");
  const { values } = await graph.getState(at("t"));
  const ids = values.messages.map(({ id }: BaseMessage) => id);
  await graph.updateState(at("t"), { messages: [new AIMessage({ id: ids[2], content: "changed" })] }, "finish");
  expect(await textsOf()).toEqual(before.with(2, "changed"));
  await graph.updateState(at("t"), { messages: [new RemoveMessage({ id: ids[7] })] }, "finish");
  expect(await textsOf()).toEqual(before.with(2, "changed").slice(0, -1));
});

test("a process with a cached thread and a new process read the same", async () => {
  const database = await open();
  const seen = [new Date(0), new Set([1]), { a: undefined }, new Uint8Array([1])];
  const build = () =>
    new StateGraph(new StateSchema({ seen: z.any() }))
      .addNode("look", () => ({ seen }))
      .addEdge(START, "look")
      .compile({ checkpointer: new ThreadCheckpointer(database) })
      .withConfig({ durability: "sync" });
  const warm = build();
  await warm.invoke({ seen: null }, at("t"));
  for (const graph of [warm, build()]) {
    expect((await graph.getState(at("t"))).values.seen).toEqual([new Date(0).toISOString(), ...seen.slice(1)]);
  }
});

/** A graph whose node changes the first message of the state in place, and returns it or not. */
function meddlingGraph(database: Database, returns: boolean, durability: "sync" | "exit" = "sync") {
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("meddle", ({ messages }) => {
      const [first] = messages;
      if (first) first.content = "changed";
      return { messages: [...(returns && first ? [first] : []), new AIMessage({ id: "answer", content: "done" })] };
    })
    .addEdge(START, "meddle")
    .addEdge("meddle", END)
    .compile({ checkpointer: new ThreadCheckpointer(database) })
    .withConfig({ durability });
}

async function firstMessage(database: Database): Promise<unknown> {
  const { values } = await stepsGraph(new ThreadCheckpointer(database)).getState(at("t"));
  const messages: BaseMessage[] = values.messages;
  return messages[0]?.content;
}

test.each(["sync", "exit"] as const)(
  "a message that a node changed in place and returned is stored as it is now, with %s",
  async (durability) => {
    const database = await open();
    const graph = meddlingGraph(database, true, durability);
    await graph.invoke({ messages: [question("q1")] }, at("t"));
    expect(await firstMessage(database)).toBe("changed");
    await graph.updateState(at("t"), { messages: [question("q1")] });
    expect(await firstMessage(database)).toBe("Question q1?");
    await graph.invoke({ messages: [question("q2")] }, at("t"));
    expect(await firstMessage(database)).toBe("changed");
  },
);

test("a message that a node changed in place and did not return stays unchanged in the database", async () => {
  const database = await open();
  await meddlingGraph(database, false).invoke({ messages: [question("q1")] }, at("t"));
  expect(await firstMessage(database)).toBe("Question q1?");
});
