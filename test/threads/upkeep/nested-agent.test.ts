import { END, type LangGraphRunnableConfig, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { allOf, at, openKind } from "../open-kind.js";

/** A graph round an agent with a memory of its own: what is said stands in the agent's state, and nowhere else. */
function around({ checkpointer }: Threads, ...answers: string[]) {
  const model = scriptedModel(answers.map((answer) => ` I know\nFinal Answer: ${answer}`));
  const agent = createAgent({ model, protocol: "react", rephrase: false, checkpointer: true });
  const outer = new StateGraph(new StateSchema({ asked: z.string() }))
    .addNode("ask", async ({ asked }, config: LangGraphRunnableConfig) => {
      await agent.invoke({ messages: asked }, config);
      return {};
    })
    .addEdge(START, "ask")
    .addEdge("ask", END)
    .compile({ checkpointer })
    .withConfig({ durability: "sync" });
  return { outer, model };
}

/** A thread of two turns; the checkpoints at their ends. */
async function twoTurns(threads: Threads): Promise<{ first: string; second: string }> {
  const { outer } = around(threads, "Hello Ann!", "You are Ann.");
  await outer.invoke({ asked: "I am Ann" }, at("t"));
  await outer.invoke({ asked: "Who am I?" }, at("t"));
  const { turns } = await threads.history("t");
  const [first = "", second = ""] = turns
    .flatMap(({ steps }) => steps)
    .flatMap(({ checkpoint, next }) => (next.length === 0 ? [checkpoint] : []));
  return { first, second };
}

/** What the agent is told of earlier turns when the thread goes on. */
async function knownOn(threads: Threads, thread: string): Promise<string> {
  const { outer, model } = around(threads, "Well.");
  await outer.invoke({ asked: "And?" }, at(thread));
  const [, known = ""] = /The conversation so far:\n([\s\S]*?)\n\nBegin!/.exec(model.calls[0]?.prompt ?? "") ?? [];
  return known;
}
const knownAfterFirst = "Q: I am Ann\nA: Hello Ann!";
const knownAfterBoth = `${knownAfterFirst}\nQ: Who am I?\nA: You are Ann.`;

/** All checkpoints of a thread, of the graph and of the agent, newest first. */
async function checkpointsOf(threads: Threads, thread: string) {
  return (await allOf(threads.checkpointer.list(at(thread)))).map((tuple) => {
    const { checkpoint_id: id, checkpoint_ns } = tuple.config.configurable ?? {};
    return {
      id,
      isAgents: checkpoint_ns !== "",
      text: JSON.stringify(tuple).replaceAll(`"thread_id":"${thread}"`, ""),
    };
  });
}

/** The searched words of which there is something in a thread. */
async function foundIn(threads: Threads, thread: string): Promise<string[]> {
  const found: string[] = [];
  for (const text of ["I am Ann", "Hello Ann!", "Who am I?", "You are Ann."]) {
    if ((await threads.search(text)).some((hit) => hit.thread === thread)) found.push(text);
  }
  return found;
}

describe.each(matrix(databases, memory))(
  "a thread in $name of a graph with an agent that has a memory of its own",
  (kind) => {
    test("is forked with the agent's steps and memory up to the checkpoint", async () => {
      const { threads } = await openKind(kind);
      const { first, second } = await twoTurns(threads);
      const all = await checkpointsOf(threads, "t");
      expect(all.filter(({ isAgents }) => isAgents)).toHaveLength(10);
      await threads.fork("t", first, "first");
      await threads.fork("t", second, "second");
      expect(await checkpointsOf(threads, "second")).toEqual(all);
      expect(await checkpointsOf(threads, "first")).toEqual(all.slice(all.findIndex(({ id }) => id === first)));
      expect(await foundIn(threads, "first")).toEqual(["I am Ann", "Hello Ann!"]);
      await threads.delete("t");
      expect(await foundIn(threads, "second")).toEqual(["I am Ann", "Hello Ann!", "Who am I?", "You are Ann."]);
      expect(await knownOn(threads, "first")).toBe(knownAfterFirst);
      expect(await knownOn(threads, "second")).toBe(knownAfterBoth);
    });

    test("keeps the agent's memory, and its steps of the kept turns, when it is pruned", async () => {
      const { threads, url } = await openKind(kind);
      const { first } = await twoTurns(threads);
      const all = await checkpointsOf(threads, "t");
      await threads.prune({ keepTurns: 1 });
      const left = await checkpointsOf(threads, "t");
      const ofLastTurn = all.slice(
        0,
        all.findIndex(({ id }) => id === first),
      );
      expect(left.map(({ id }) => id)).toEqual(ofLastTurn.map(({ id }) => id));
      await threads.prune({ keepTurns: 0 });
      expect((await checkpointsOf(threads, "t")).map(({ isAgents }) => isAgents)).toEqual([false, true]);
      expect(await foundIn(threads, "t")).toEqual(["I am Ann", "Hello Ann!", "Who am I?", "You are Ann."]);
      await using again = kind.lasting ? await openThreads(url) : threads;
      expect(await knownOn(again, "t")).toBe(knownAfterBoth);
    });

    test("is copied with the agent's steps and memory", async () => {
      const { threads } = await openKind(kind);
      await twoTurns(threads);
      await using elsewhere = await openThreads("memory:");
      await threads.copy("t", elsewhere);
      expect(await checkpointsOf(elsewhere, "t")).toEqual(await checkpointsOf(threads, "t"));
      expect(await foundIn(elsewhere, "t")).toEqual(["I am Ann", "Hello Ann!", "Who am I?", "You are Ann."]);
      expect(await knownOn(elsewhere, "t")).toBe(knownAfterBoth);
    });
  },
);
