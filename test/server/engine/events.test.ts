import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { Retention } from "../../../src/server/engine/retention.js";
import type { RunEvent } from "../../../src/server/engine/run-engine.js";
import type { Threads } from "../../../src/threads/open.js";
import { countRuns, ItemStore, ThreadDirectory } from "../../../src/threads/runs/index.js";
import { lastingDatabases, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { checkpointerOf } from "../../threads/open-kind.js";
import { agent, engineOn, eventsOf, order, saying, startEngine, steps } from "./open-engine.js";

const modes = ["values", "updates", "messages-tuple", "custom", "checkpoints", "tasks", "debug"];

/** A graph whose only step is the graph of three steps. */
function nested() {
  const State = new StateSchema({ messages: MessagesValue, count: z.number().default(0) });
  return new StateGraph(State).addNode("inner", steps()).addEdge(START, "inner").compile();
}

async function storedEvents(threads: Threads): Promise<string> {
  const rows = await checkpointerOf(threads).database.all("select body from glassloop_run_events");
  return rows.map(({ body }) => String(body)).join("\n");
}

describe.each(matrix(lastingDatabases, sqlite))("events in $name", (kind) => {
  test.each(["agent", "steps", "nested"])("of the graph %s read later as they did live", async (graph) => {
    const { engine } = await engineOn(kind, { agent: agent(), steps: steps(), nested: nested() });
    const run = await engine.enqueue(order({ streamMode: modes, subgraphs: true }, { graph }));
    const live = await eventsOf(engine, run.id);
    const parsed = (events: RunEvent[]) => events.map(({ json, ...event }) => ({ ...event, data: JSON.parse(json) }));
    expect(parsed(await eventsOf(engine, run.id))).toEqual(parsed(live));
    expect(live.some(({ event }) => event.startsWith("checkpoints"))).toBe(true);
    expect(live.filter(({ json }) => json.includes('"__glassloop"') || json.includes('"__pregel_read'))).toEqual([]);
  });

  test("do not repeat the state, and say so when it was pruned", async () => {
    const { threads, engine } = await engineOn(kind, { steps: steps() });
    const long = "long ".repeat(10_000);
    const input = { messages: [{ role: "user", content: long, id: "q" }] };
    const run = await engine.enqueue(order({ input, streamMode: ["values", "checkpoints", "tasks", "debug"] }));
    const live = await eventsOf(engine, run.id);
    expect(live.filter(({ json }) => json.includes(long)).length).toBeGreaterThan(8);
    expect((await storedEvents(threads)).length).toBeLessThan(2 * long.length);
    await threads.prune({ thread: "t", keepTurns: 0 });
    const later = await eventsOf(engine, run.id);
    expect(later.map(({ seq }) => seq)).toEqual(live.map(({ seq }) => seq));
    expect(later.at(-1)).toEqual(live.at(-1));
    expect(JSON.parse(later.find(({ event }) => event === "pruned")?.json ?? "")).toMatchObject({ event: "values" });
  });
});

test("events that are kept too long are deleted, but not the row of their run; of a run without a thread all is", async () => {
  const { threads, engine } = await engineOn(sqlite, { steps: steps() }, { eventsMs: 1, temporaryMs: 1 });
  const run = await engine.enqueue(order());
  const temporary = await engine.enqueue(order({}, { thread: "u", temporary: true }));
  const read = async () => eventsOf(engine, run.id).then(String, ({ code }) => code);
  await expect.poll(read).toBe("run-events-deleted");
  await expect.poll(() => engine.get(temporary.id)).toBeUndefined();
  expect(await storedEvents(threads)).toBe("");
  expect(await engine.get(run.id)).toMatchObject({ status: "success" });
  expect((await threads.list()).map(({ id }) => id)).toEqual(["t"]);
});

test.each(matrix(lastingDatabases, sqlite))(
  "on $name a process whose clock is hours late neither loses events nor seems to be gone",
  async (kind) => {
    const { threads, engine } = await engineOn(kind, { steps: steps() });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 7_200_000 });
    onTestFinished(() => void vi.useRealTimers());
    const run = await engine.enqueue(order());
    const events = await eventsOf(engine, run.id);
    const { database } = checkpointerOf(threads);
    const directory = new ThreadDirectory(checkpointerOf(threads));
    const made = await directory.create("made", undefined, {});
    await directory.patch("made", undefined, { color: "blue" });
    const { turns } = await threads.history("t");
    await threads.fork("t", turns.flatMap(({ steps }) => steps).at(-1)?.checkpoint ?? "", "fork");
    await new ItemStore(database, undefined).put(["notes"], "one", {});
    const [item] = await database.all("select created_at, updated_at from glassloop_store_items");
    vi.useRealTimers();
    expect(await countRuns(database)).toMatchObject({ engines: 1 });
    const dated = [await engine.get(run.id), made, ...(await threads.list())];
    const times = dated.flatMap((row) => [row?.createdAt, row?.updatedAt]);
    for (const time of [...times, ...Object.values(item ?? {})])
      expect(Math.abs(Date.parse(String(time)) - Date.now())).toBeLessThan(600_000);
    expect(dated).toHaveLength(5);
    await new Retention(checkpointerOf(threads), { eventsMs: 3_600_000, runsMs: 3_600_000, temporaryMs: 1 }).sweep();
    expect((await eventsOf(engine, run.id)).map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq));
  },
);

test.each(matrix(lastingDatabases, sqlite))(
  "on $name the words of a model say once where they come from, and read the same from each place on",
  async (kind) => {
    const words = "It is on its way to you, and it arrives before noon. ".repeat(20);
    const { threads, engine } = await engineOn(kind, { agent: agent(` I know\nFinal Answer: ${words}`) });
    const run = await engine.enqueue(order(saying("q"), { graph: "agent" }));
    const live = await eventsOf(engine, run.id);
    const pieces = live.filter(({ event }) => event === "messages");
    expect(pieces.map(({ json }) => JSON.parse(json)[0].content).join("")).toBe(words.trim());
    // A word that may begin something else than an answer comes with the next one.
    expect(pieces.length).toBeGreaterThan(100);
    const stored = await storedEvents(threads);
    expect(stored.split("langgraph_triggers").length).toBeLessThan(5);
    const other = await startEngine(threads, { agent: agent() }, { mostAtOnce: 0 });
    for (const { seq } of [...pieces.slice(0, 2), ...pieces.slice(-2)]) {
      const later = await eventsOf(other, run.id, seq);
      expect(later.map(({ json }) => JSON.parse(json))).toEqual(live.slice(seq).map(({ json }) => JSON.parse(json)));
    }
  },
);
