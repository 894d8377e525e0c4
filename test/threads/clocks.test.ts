import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openThreads } from "../../src/threads/open.js";
import { databases, memory } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { agentOn, answer, payerOn } from "./agents.js";
import { allOf, at, openKind } from "./open-kind.js";
import { question, stepsGraph } from "./steps-graph.js";

const begin = Date.parse("2026-11-22T12:00:00Z");
const AN_HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: begin });
});

afterEach(() => {
  vi.useRealTimers();
});

const call = (amount: number) => ` I pay\nAction: pay\nAction Input: ${amount}`;

describe.each(matrix(databases, memory))("with $name, a clock that was set back", (kind) => {
  test("an hour between turns: turns keep their order, and the state is that of the last turn", async () => {
    const { threads } = await openKind(kind);
    for (const turn of [1, 2, 3]) {
      await agentOn(threads, answer(`answer ${turn}`)).invoke({ messages: `question ${turn}` }, at("t"));
      const { values, next } = await agentOn(threads).getState(at("t"));
      expect(values).toMatchObject({ turn: { number: turn }, answer: `answer ${turn}` });
      expect(next).toEqual([]);
      vi.setSystemTime(Date.now() - AN_HOUR);
    }
    const { turns, branches } = await threads.history("t");
    expect(turns.map(({ asked, answer }) => [asked, answer])).toEqual(
      [1, 2, 3].map((turn) => [`question ${turn}`, `answer ${turn}`]),
    );
    expect(branches).toEqual([]);
  });

  test("an hour within a turn: no call with effects is made twice, and no node is left to run", async () => {
    const { threads } = await openKind(kind);
    const paid: string[] = [];
    const replies = [call(1), call(2), answer("Both are paid.")].map((reply) => () => {
      vi.setSystemTime(Date.now() - AN_HOUR);
      return reply;
    });
    const agent = payerOn(threads, (amount) => paid.push(amount), replies);
    expect((await agent.invoke({ messages: "Pay 1 and 2" }, at("t"))).answer).toBe("Both are paid.");
    expect(await threads.get("t")).toMatchObject({ status: "idle" });
    await expect(agent.invoke(null, at("t"))).resolves.toMatchObject({ answer: "Both are paid." });
    expect(paid).toEqual(["1", "2"]);
  });

  test("an hour between threads: the one written last is listed, found and kept first", async () => {
    const { threads } = await openKind(kind);
    for (const id of ["a", "b", "a"]) {
      await stepsGraph(threads.checkpointer).invoke({ messages: [question(`${id}-${Date.now()}`)] }, at(id));
      vi.setSystemTime(Date.now() - AN_HOUR);
    }
    expect((await threads.list()).map(({ id }) => id)).toEqual(["a", "b"]);
    expect((await threads.search("question")).map(({ thread }) => thread)).toEqual(["a", "a", "b"]);
    await threads.prune({ keepTurns: 0 });
    expect((await threads.history("a")).turns.flatMap(({ steps }) => steps)).toMatchObject([{ next: [] }]);
    const { values } = await stepsGraph(threads.checkpointer).getState(at("a"));
    expect(values.messages.filter(({ type }: { type: string }) => type === "human")).toHaveLength(2);
  });

  test("an hour before a copy: it has the same order", async () => {
    const { threads } = await openKind(kind);
    for (const id of ["1", "2"]) {
      await stepsGraph(threads.checkpointer).invoke({ messages: [question(id)] }, at("t"));
      vi.setSystemTime(Date.now() - AN_HOUR);
    }
    await using elsewhere = await openThreads("memory:");
    await threads.copy("t", elsewhere);
    const newest = (await threads.history("t")).turns.flatMap(({ steps }) => steps).at(-1)?.checkpoint ?? "";
    await threads.fork("t", newest, "fork");
    for (const [place, id] of [
      [elsewhere, "t"],
      [threads, "fork"],
    ] as const) {
      expect((await place.history(id)).turns).toEqual((await threads.history("t")).turns);
      expect((await stepsGraph(place.checkpointer).getState(at(id))).values).toEqual(
        (await stepsGraph(threads.checkpointer).getState(at("t"))).values,
      );
    }
  });

  test("an hour between two checkpoints: a list before a checkpoint has those stored before it", async () => {
    const { threads } = await openKind(kind);
    const ids: unknown[] = [];
    for (const id of ["1", "2"]) {
      const graph = stepsGraph(threads.checkpointer);
      await graph.invoke({ messages: [question(id)] }, at("t"));
      ids.push((await graph.getState(at("t"))).config.configurable?.checkpoint_id);
      vi.setSystemTime(Date.now() - AN_HOUR);
    }
    const before = { configurable: { thread_id: "t", checkpoint_id: ids[1] } };
    const listed = (await allOf(threads.checkpointer.list(at("t"), { before }))).map(
      ({ config }) => config.configurable?.checkpoint_id,
    );
    expect(listed).toContain(ids[0]);
    expect(listed).not.toContain(ids[1]);
    expect(listed).toHaveLength(6 + 5);
  });
});
