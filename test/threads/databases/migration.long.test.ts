import { copyFile, mkdtemp, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { NewerThreadError, ThreadError, ThreadsDatabaseError } from "../../../src/base/errors.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { ThreadCheckpointer } from "../../../src/threads/checkpoints/checkpointer.js";
import { GraphCheckpointer } from "../../../src/threads/checkpoints/graph-checkpointer.js";
import type { GraphIdentity } from "../../../src/threads/checkpoints/graph-identity.js";
import { migration } from "../../../src/threads/databases/migrations.js";
import { SCHEMA_VERSION } from "../../../src/threads/databases/schema.js";
import { openSqlite } from "../../../src/threads/databases/sqlite.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { coded } from "../../helpers/coded.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { databaseKinds } from "../each-database.js";
import { answerOf, askedIn, LONG, longThread } from "../long-thread.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

function agentOn({ checkpointer }: Threads, name: string, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer, name });
}

async function textsOf(threads: Threads, thread: string): Promise<string[]> {
  const { values } = await agentOn(threads, "glassloop").getState(at(thread));
  return values.messages.map(({ text }: { text: string }) => text);
}

/** Written by the version before there were migrations: a thread of three turns, and one whose model went away. */
describe("a database of version 1", () => {
  const written = new URL("../../fixtures/threads-v1.db", import.meta.url);
  let file: string;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), "glassloop-v1-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    file = join(folder, "threads.db");
    await copyFile(written, file);
  });

  test("is migrated when it is opened, and loses nothing", async () => {
    await using threads = await openThreads(`sqlite:${file}`);
    expect(await threads.list()).toMatchObject([
      { id: "unfinished", title: "What is 1 + 1?", turns: 1, status: "failed" },
      { id: "roots", title: "What is the square root of 25?", turns: 3, status: "idle" },
    ]);
    expect(await textsOf(threads, "roots")).toEqual([
      "What is the square root of 25?",
      "I need the calculator",
      "5",
      "The square root of 25 is 5.",
      "And times 12?",
      "It is 60.",
      "How old would Zürich's Großmünster be if it was built in 1100?",
      "I need the calculator",
      "926",
      "About 926 years: the Großmünster in Zürich is old.",
    ]);
    const { turns } = await threads.history("roots");
    expect(turns.map(({ asked, steps }) => [asked, steps.length])).toEqual([
      ["What is the square root of 25?", 8],
      ["And times 12?", 5],
      ["How old would Zürich's Großmünster be if it was built in 1100?", 8],
    ]);
  });

  test("can be searched, pruned, exported and gone on with", async () => {
    await using threads = await openThreads(`sqlite:${file}`);
    expect(await threads.search("zurich")).toHaveLength(2);
    expect(await threads.get("roots")).not.toHaveProperty("graph");
    const { answer: last } = await agentOn(threads, "glassloop", answer("Bye!")).invoke(
      { messages: "Bye" },
      at("roots"),
    );
    expect(last).toBe("Bye!");
    expect(await threads.get("roots")).toMatchObject({ turns: 4, graph: "glassloop", stateVersion: 7 });
    expect((await agentOn(threads, "glassloop", answer("2")).invoke(null, at("unfinished"))).answer).toBe("2");
    await threads.prune({ keepTurns: 1 });
    const lines: string[] = [];
    for await (const line of threads.export("roots")) lines.push(line);
    await threads.import(lines, { id: "copy" });
    expect(await textsOf(threads, "copy")).toHaveLength(12);
  });

  test("is migrated once when two open it together", async () => {
    const opened = await Promise.all([openThreads(`sqlite:${file}`), openThreads(`sqlite:${file}`)]);
    for (const threads of opened) {
      expect(await threads.search("zurich")).toHaveLength(2);
      await threads.close();
    }
  });

  test("has the same tables then as a new one", async () => {
    await (await openThreads(`sqlite:${file}`)).close();
    await (await openThreads(`sqlite:${file}.new`)).close();
    expect(await columnsOf(file)).toEqual(await columnsOf(`${file}.new`));
  });

  test("stays as it was when the migration fails in its middle", async () => {
    await querySqlite(file, "alter table glassloop_threads add column pruned integer");
    const before = await columnsOf(file);
    await expect(openThreads(`sqlite:${file}`)).rejects.toThrow("duplicate column name: pruned");
    expect(await columnsOf(file)).toEqual(before);
  });

  test.each([0.95, 0.6, 0.3])("is refused when it is cut off at %d of its length, and left as it was", async (part) => {
    await truncate(file, Math.floor((await stat(file)).size * part));
    const before = await readFile(file);
    await expect(openThreads(`sqlite:${file}`)).rejects.toThrow("cut off or damaged; it was left as it is");
    expect(await readFile(file)).toEqual(before);
  });

  test("is not changed by this test", async () => {
    expect((await readFile(written)).includes("search_index")).toBe(false);
  });
});

/** Written by the last version whose order came from clocks: with a branch, a fork, a pin and an unfinished turn. */
describe("a database of version 2", () => {
  let file: string;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), "glassloop-v2-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    file = join(folder, "threads.db");
    await copyFile(new URL("../../fixtures/threads-v2.db", import.meta.url), file);
  });

  test("is migrated when it is opened: its threads, turns and branches keep their order", async () => {
    await using threads = await openThreads(`sqlite:${file}`);
    expect(await threads.list()).toMatchObject([
      { id: "unfinished", turns: 1, status: "failed" },
      { id: "what-if", turns: 1, status: "idle" },
      { id: "roots", turns: 2, status: "idle" },
    ]);
    expect(await threads.list({ before: "what-if" })).toMatchObject([{ id: "roots" }]);
    const { turns, branches } = await threads.history("roots");
    expect(turns.map(({ answer, steps }) => [answer, steps.length])).toEqual([
      ["The square root of 25 is 5.", 8],
      ["Sixty.", 6],
    ]);
    expect(branches).toMatchObject([{ answer: "It is 60.", turn: 2 }]);
    expect(turns[0]?.steps[0]).toMatchObject({ pinned: true });
    expect((await agentOn(threads, "glassloop", answer("2")).invoke(null, at("unfinished"))).answer).toBe("2");
    await agentOn(threads, "glassloop", answer("Bye!")).invoke({ messages: "Bye" }, at("roots"));
    expect((await textsOf(threads, "roots")).slice(-2)).toEqual(["Bye", "Bye!"]);
    expect((await threads.list()).map(({ id }) => id)).toEqual(["roots", "unfinished", "what-if"]);
  });

  test("has the same tables then as a new one", async () => {
    await (await openThreads(`sqlite:${file}`)).close();
    await (await openThreads(`sqlite:${file}.new`)).close();
    expect(await columnsOf(file)).toEqual(await columnsOf(`${file}.new`));
  });
});

/** Written by the last version that kept long texts inside of values: with a branch, a fork, a pin and an unfinished turn. */
describe("a database of version 3", () => {
  let file: string;
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), "glassloop-v3-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    file = join(folder, "threads.db");
    await copyFile(new URL("../../fixtures/threads-v3.db", import.meta.url), file);
  });

  test("is read as it was, and gone on with", async () => {
    await using threads = await openThreads(`sqlite:${file}`);
    expect((await textsOf(threads, "book")).map((text) => [text.slice(0, 8), text.length])).toEqual([
      ["Sum up: ", 8873],
      ["I read", 6],
      ["Page 1. ", 8488],
      ["Times we", 17],
      ["Shorter?", 8],
      ["Mixed.", 6],
    ]);
    const { turns, branches } = await threads.history("book");
    expect(turns.map(({ asked, answer }) => [asked?.length, answer])).toEqual([
      [8873, "Times were mixed."],
      [8, "Mixed."],
    ]);
    expect(branches).toMatchObject([{ answer: "Two words: mixed times." }]);
    expect(await threads.search("end of the long question")).toHaveLength(2);
    expect((await agentOn(threads, "glassloop", answer("Three.")).invoke(null, at("unfinished"))).answer).toBe(
      "Three.",
    );
    await agentOn(threads, "glassloop", answer("Bye!")).invoke({ messages: "Bye" }, at("book"));
    await threads.prune({ keepTurns: 1 });
    expect((await textsOf(threads, "book")).slice(-2)).toEqual(["Bye", "Bye!"]);
    expect((await textsOf(threads, "book"))[2]).toHaveLength(8488);
    expect((await textsOf(threads, "what-if"))[0]).toHaveLength(8873);
  });

  test("is not opened by that version any more, which could not read what is written now", async () => {
    await (await openThreads(`sqlite:${file}`)).close();
    const [row] = await querySqlite(file, "select value from glassloop_meta where name = 'schema_version'");
    expect(row).toEqual({ value: String(SCHEMA_VERSION) });
  });
});

/** What the checkpoints were before they had a sequence. */
const checkpointsOfVersion2 = [
  "drop index glassloop_checkpoints_by_sequence",
  "alter table glassloop_checkpoints rename to glassloop_checkpoints_3",
  `create table glassloop_checkpoints as select thread, namespace, id, parent, shape, body, metadata
    from glassloop_checkpoints_3`,
  "drop table glassloop_checkpoints_3",
];

/** What a database was before there were pins, a search, and the graph of a thread. */
const asInVersion1 = [
  ...checkpointsOfVersion2,
  "drop table glassloop_texts",
  "drop table glassloop_pins",
  ...["graph", "state_version", "pruned", "settings"].map(
    (column) => `alter table glassloop_threads drop column ${column}`,
  ),
  "delete from glassloop_meta where name = 'search_index'",
  "update glassloop_meta set value = '1' where name = 'schema_version'",
];

test.each(databaseKinds.filter(({ lasting }) => lasting))(
  "a database of version 1 in $name is searched whole once it was migrated, however much is in it",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    const lines = await longThread();
    const ids = ["a", "b"];
    for (const id of ids) await threads.import(lines, { id });
    expect(ids.length * lines.filter((line) => line.startsWith('{"type":"item"')).length).toBeGreaterThan(500);
    await checkpointerOf(threads).database.batch(asInVersion1.map((sql) => ({ sql, parameters: [] })));
    await threads.close();

    await using migrated = await openThreads(url);
    expect(await migrated.list()).toMatchObject(ids.toReversed().map((id) => ({ id, turns: LONG })));
    expect(await migrated.search("hello", { limit: 1000 })).toHaveLength(ids.length * 2 * LONG);
    for (const text of [askedIn(1), askedIn(LONG), answerOf(1), answerOf(LONG)]) {
      const found = await migrated.search(text, { limit: 1000 });
      expect([...new Set(found.map(({ thread }) => thread))].sort()).toEqual(ids);
    }
    expect(await migrated.prune({ thread: "a", keepTurns: 1 })).toMatchObject({ threads: 1 });
  },
);

function columnsOf(file: string): Promise<unknown> {
  return querySqlite(
    file,
    `select tables.name as "table", columns.name as "column" from sqlite_master tables, pragma_table_info(tables.name) columns
      where tables.type = 'table' order by 1, 2`,
  );
}

test.each([undefined, "", "0", "1.5", "two", String(SCHEMA_VERSION + 1)])(
  "tables of version %j are refused",
  (version) => {
    const dialect = { text: "text", sequence: "integer", smallRows: "" };
    expect(() => migration("threads.db", version, dialect)).toThrow(ThreadsDatabaseError);
  },
);

describe.each(databaseKinds)("the state of a thread in $name", (kind) => {
  test("is noted with its version and the graph it belongs to", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, "support", answer("Hello!")).invoke({ messages: "Say hello" }, at("t"));
    expect(await threads.get("t")).toMatchObject({ graph: "support", stateVersion: 7 });
    for await (const { metadata } of threads.checkpointer.list(at("t"))) {
      expect(metadata).toMatchObject({ graph: "support", state_version: 7 });
    }
  });

  test("is refused when it is another graph's, and stays as it was", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, "support", answer("Hello!")).invoke({ messages: "Say hello" }, at("t"));
    const before = await threads.get("t");
    const other = agentOn(threads, "research");
    for (const attempt of [
      () => other.invoke({ messages: "Hm?" }, at("t")),
      () => other.getState(at("t")),
      () => other.updateState(at("t"), { answer: "mine" }, "parse"),
      () => other.getStateHistory(at("t")).next(),
    ]) {
      await expect(attempt()).rejects.toThrow(coded(ThreadError, "foreign-thread"));
    }
    await expect(other.getState(at("t"))).rejects.toThrow(
      'belongs to the graph "support", and this agent is "research"',
    );
    expect(await threads.get("t")).toEqual(before);
  });

  test("is refused when it is no agent's at all", async () => {
    const { threads } = await openKind(kind);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, at("t"));
    await expect(agentOn(threads, "glassloop").invoke({ messages: "Hm?" }, at("t"))).rejects.toThrow(
      "the state of a graph that is no agent of Glassloop's",
    );
  });

  test("is refused when it is of a newer version", async () => {
    const { threads } = await openKind(kind);
    if (!(threads.checkpointer instanceof ThreadCheckpointer)) throw new Error("This is another checkpointer.");
    await counter(new GraphCheckpointer(threads.checkpointer, identity(4)), "total").invoke({ total: 1 }, at("t"));
    const older = counter(new GraphCheckpointer(threads.checkpointer, identity(3)), "total");
    await expect(older.invoke({ total: 1 }, at("t"))).rejects.toThrow(NewerThreadError);
    await expect(older.getState(at("t"))).rejects.toThrow("of version 4, and this Glassloop knows versions up to 3");
  });

  test("is migrated when it is of an older version, checkpoint by checkpoint, and stays migrated", async () => {
    const { threads, url } = await openKind(kind);
    if (!(threads.checkpointer instanceof ThreadCheckpointer)) throw new Error("This is another checkpointer.");
    const oldGraph = counter(new GraphCheckpointer(threads.checkpointer, identity(1)), "count");
    await oldGraph.invoke({ count: 1 }, at("t"));
    await oldGraph.invoke({ count: 5 }, at("t"));
    const old: unknown[] = [];
    for await (const { config } of oldGraph.getStateHistory(at("t"))) old.push(config.configurable?.checkpoint_id);

    const graph = counter(new GraphCheckpointer(threads.checkpointer, identity(3)), "total");
    expect((await graph.getState(at("t"))).values).toEqual({ total: 60 });
    // Going back in time meets the old version, too.
    const history: unknown[] = [];
    for await (const { values } of graph.getStateHistory(at("t"))) history.push(values);
    expect(history).toEqual([{ total: 60 }, { total: 50 }, { total: 20 }, { total: 20 }, { total: 10 }, {}]);
    expect((await graph.getState(at("t", String(old[2])))).values).toEqual({ total: 20 });
    expect((await graph.invoke(null, at("t", String(old[1])))).total).toBe(51);
    expect((await graph.invoke({ total: 70 }, at("t"))).total).toBe(71);

    await using again = kind.lasting ? await openThreads(url) : threads;
    const raw = await again.checkpointer.getTuple(at("t", String(old[0])));
    expect(raw?.checkpoint.channel_values).toEqual({ total: 60 });
    expect(raw?.metadata).toMatchObject({ graph: "counter", state_version: 3 });
  });
});

/** Version 2 counts in tens, version 3 calls it a total. */
function identity(stateVersion: number): GraphIdentity {
  return {
    name: "counter",
    stateVersion,
    channels: new Set(["count", "total"]),
    passing: new Set<string>(),
    migrations: {
      1: (values) => (values.count === undefined ? values : { ...values, count: Number(values.count) * 10 }),
      2: ({ count, ...values }) => (count === undefined ? values : { ...values, total: count }),
    },
  };
}

/** A graph that adds one to its only channel. */
function counter(checkpointer: ThreadCheckpointer, channel: "count" | "total") {
  const state = new StateSchema({ count: z.number().optional(), total: z.number().optional() });
  return new StateGraph(state)
    .addNode("add", (values) => ({ [channel]: (values[channel] ?? 0) + 1 }))
    .addEdge(START, "add")
    .addEdge("add", END)
    .compile({ checkpointer, name: "counter" })
    .withConfig({ durability: "sync" });
}

test("a database of the version after this one is refused, and left as it was", async () => {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-foreign-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "threads.db");
  await copyFile(new URL("../../fixtures/threads-v1.db", import.meta.url), file);
  await querySqlite(file, `update glassloop_meta set value = '${SCHEMA_VERSION + 1}' where name = 'schema_version'`);
  const before = await readFile(file);
  await expect(openThreads(`sqlite:${file}`)).rejects.toThrow(
    `version ${SCHEMA_VERSION + 1}, and this Glassloop knows versions up to ${SCHEMA_VERSION}`,
  );
  expect(await readFile(file)).toEqual(before);
  await expect(openSqlite(file)).rejects.toThrow(ThreadsDatabaseError);
});
