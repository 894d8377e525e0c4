import { describe, expect, test } from "vitest";
import type { HistoryTurn } from "../../../src/threads/lookup/history.js";
import type { Threads } from "../../../src/threads/open.js";
import { lastingDatabases } from "../../matrix/databases.js";
import { agentOn } from "../agents.js";
import { answerOf, askedIn, LONG, longThread } from "../long-thread.js";
import { allOf, at, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

const everyTurn = Array.from({ length: LONG }, (_, index) => index + 1);

/** What an agent finds on a thread. */
async function textsOf(threads: Threads, thread: string): Promise<string[]> {
  const { values } = await agentOn(threads).getState(at(thread));
  return values.messages.map(({ text }: { text: string }) => text);
}

/** The lines in an order of their own: that of rows is the database's. */
const linesOf = async (threads: Threads) => (await allOf(threads.export("long"))).toSorted();

async function checkpointsOf(threads: Threads, thread: string): Promise<unknown[]> {
  const tuples = await allOf(threads.checkpointer.list(at(thread)));
  return tuples.map(({ config }) => config.configurable?.checkpoint_id);
}

function stepsOf(turns: readonly HistoryTurn[]): string[] {
  return turns.flatMap(({ steps }) => steps.map(({ checkpoint }) => checkpoint));
}

describe.each(lastingDatabases)("a thread of many turns in $name", (kind) => {
  test("is copied, listed, searched and exported whole", async () => {
    const { threads } = await openKind(kind);
    const written = await longThread();
    const lines = await linesOf(written);
    expect(lines.filter((line) => line.startsWith('{"type":"item"')).length).toBeGreaterThan(256);
    await written.copy("long", threads);
    expect(await threads.get("long")).toEqual(await written.get("long"));
    expect(await threads.get("long")).toMatchObject({ turns: LONG, status: "idle" });
    expect(await textsOf(threads, "long")).toEqual(everyTurn.flatMap((turn) => [askedIn(turn), answerOf(turn)]));
    const { turns, branches } = await threads.history("long");
    expect(turns.map(({ asked, answer }) => [asked, answer])).toEqual(
      everyTurn.map((turn) => [askedIn(turn), answerOf(turn)]),
    );
    expect(branches).toEqual([]);
    expect(await checkpointsOf(threads, "long")).toEqual(stepsOf(turns).toReversed());
    expect(await threads.search("hello", { limit: 1000 })).toHaveLength(2 * LONG);
    expect(await linesOf(threads)).toEqual(lines);
  });

  test("is forked and pruned whole", async () => {
    const { threads } = await openKind(kind);
    await (await longThread()).copy("long", threads);
    const { turns } = await threads.history("long");
    const middle = turns[LONG - 2]?.steps.at(-1)?.checkpoint ?? "";
    const { graph = "none", stateVersion = "none" } = (await threads.get("long")) ?? {};
    const forked = await threads.fork("long", middle, "fork");
    expect(forked).toMatchObject({ turns: LONG - 1, status: "idle", graph, stateVersion });
    expect((await threads.history("fork")).turns).toEqual(turns.slice(0, -1));
    const texts = everyTurn.flatMap((turn) => [askedIn(turn), answerOf(turn)]);
    expect(await textsOf(threads, "fork")).toEqual(texts.slice(0, -2));
    const { checkpoints } = await threads.prune({ thread: "long", keepTurns: 1 });
    expect((await threads.history("long")).turns).toEqual(turns.slice(-1));
    expect(checkpoints).toBe(stepsOf(turns.slice(0, -1)).length);
    expect(await checkpointsOf(threads, "long")).toEqual(stepsOf(turns.slice(-1)).toReversed());
    expect(await textsOf(threads, "long")).toEqual(texts);
    const found = await threads.search(askedIn(1), { limit: 1000 });
    expect(found.filter(({ thread }) => thread === "fork")).toEqual(
      found.filter(({ thread }) => thread === "long").map((hit) => ({ ...hit, thread: "fork" })),
    );
  });

  test("may hold many messages at once", async () => {
    const { threads } = await openKind(kind);
    const graph = stepsGraph(threads.checkpointer);
    const asked = Array.from({ length: 300 }, (_, index) => question(`q${index}`));
    await graph.invoke({ messages: asked }, at("t"));
    await threads.fork("t", String((await checkpointsOf(threads, "t"))[0]), "fork");
    const { values } = await graph.getState(at("fork"));
    expect(values.messages.map(({ id }: { id: string }) => id).slice(0, 300)).toEqual(asked.map(({ id }) => id));
    expect(values.messages).toHaveLength(303);
  });
});
