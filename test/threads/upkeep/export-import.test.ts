import { tool } from "@langchain/core/tools";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { ThreadExistsError, ThreadFileError, ThreadNotFoundError } from "../../../src/base/errors.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { databaseKinds } from "../each-database.js";
import { at, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

function agentOn({ checkpointer }: Threads, ...replies: string[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

/** A thread with a turn, a pin, and a second turn that was stopped in its middle. */
async function halfway(threads: Threads): Promise<void> {
  const agent = agentOn(threads, " I know\nFinal Answer: Hello!", " Sum\nAction: calculator\nAction Input: 2+2");
  await agent.invoke({ messages: "Say hello" }, at("t"));
  await threads.pin("t", (await threads.history("t")).turns[0]?.steps.at(-1)?.checkpoint ?? "");
  await agent.invoke({ messages: "What is 2 + 2?" }, { ...at("t"), interruptBefore: ["act"] });
}

async function exported(threads: Threads, thread = "t"): Promise<string> {
  let text = "";
  for await (const line of threads.export(thread)) text += line;
  return text;
}

async function historyOf(threads: Threads, thread: string): Promise<unknown> {
  const history: unknown[] = [];
  for await (const snapshot of agentOn(threads).getStateHistory(at(thread))) history.push(snapshot);
  return JSON.parse(JSON.stringify(history).replaceAll(`"thread_id":"${thread}"`, `"thread_id":"any"`));
}

function* inPieces(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

describe.each(databaseKinds)("a thread in $name", (kind) => {
  test("is the same after it was exported and imported, here or elsewhere", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    const text = await exported(threads);
    await using elsewhere = await openThreads("memory:");
    const imported = await elsewhere.import(inPieces(text, 1000));
    const { createdAt: _c, updatedAt: _u, ...summary } = (await threads.get("t")) ?? {};
    expect(imported).toMatchObject(summary);
    expect(await threads.import([text], { id: "copy" })).toMatchObject({ id: "copy", turns: 2, status: "interrupted" });
    for (const [place, id] of [
      [elsewhere, "t"],
      [threads, "copy"],
    ] as const) {
      expect(await historyOf(place, id)).toEqual(await historyOf(threads, "t"));
      expect(await place.history(id)).toEqual(await threads.history("t"));
      expect((await place.search("hello")).filter(({ thread }) => thread === id)).toHaveLength(2);
      const { answer } = await agentOn(place, " I know\nFinal Answer: 4").invoke(null, at(id));
      expect(answer).toBe("4");
    }
    expect((await threads.get("t"))?.status).toBe("interrupted");
  });

  test("is exported as lines of JSON, the same each time", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    const text = await exported(threads);
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: "glassloop-thread", format: 1, thread: { id: "t", title: "Say hello" } });
    expect(lines.at(-1)).toMatchObject({ type: "end", lines: lines.length - 1 });
    expect((await exported(threads)).split("\n").toSorted()).toEqual(text.split("\n").toSorted());
  });

  test("is exported whole when it was pruned, and when it is another graph's", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    await threads.prune({ keepTurns: 1 });
    await threads.import([await exported(threads)], { id: "pruned" });
    expect(await historyOf(threads, "pruned")).toEqual(await historyOf(threads, "t"));
    const graph = stepsGraph(threads.checkpointer);
    await graph.invoke({ messages: [question("q")] }, at("steps"));
    await threads.import([await exported(threads, "steps")], { id: "steps 2" });
    const { values } = await graph.getState(at("steps"));
    expect((await graph.getState(at("steps 2"))).values).toEqual(values);
  });

  test("takes what is on record of its tool calls with it, so that none is made twice", async () => {
    const { threads } = await openKind(kind);
    const paid: string[] = [];
    const controller = new AbortController();
    const pay = tool(
      ({ input }: { input: string }) => {
        paid.push(input);
        controller.abort(new Error("enough"));
        throw new Error("cut off");
      },
      { name: "pay", description: "Pays.", schema: z.object({ input: z.string() }), metadata: { effects: true } },
    );
    const payer = ({ checkpointer }: Threads, ...replies: string[]) =>
      createAgent({ model: scriptedModel(replies), tools: [pay], protocol: "react", rephrase: false, checkpointer });
    const agent = payer(threads, " Pay\nAction: pay\nAction Input: 5");
    const run = agent.invoke({ messages: "Pay" }, { ...at("t"), signal: controller.signal });
    await expect(run).rejects.toThrow("enough");
    await vi.waitFor(async () => expect((await threads.get("t"))?.status).not.toBe("running"));
    await using elsewhere = await openThreads("memory:");
    await elsewhere.import([await exported(threads)]);
    const { intermediateSteps } = await payer(elsewhere, " I know\nFinal Answer: Perhaps.").invoke(null, at("t"));
    expect(intermediateSteps[0]?.results).toMatchObject([{ status: "unknown" }]);
    expect(paid).toEqual(["5"]);
  });

  test("is not imported over another one", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    const before = await exported(threads);
    await expect(threads.import([before])).rejects.toThrow(ThreadExistsError);
    expect(await exported(threads)).toBe(before);
    await expect(exported(threads, "nobody")).rejects.toThrow(ThreadNotFoundError);
  });

  test("is refused when its file was cut off, wherever that was, and nothing of it stays", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    const text = await exported(threads);
    for (const length of [
      0,
      10,
      text.indexOf("\n") + 1,
      text.length / 3,
      text.length / 2,
      text.length - 100,
      text.length - 3,
    ]) {
      const cut = text.slice(0, length);
      await expect(threads.import([cut], { id: "cut" })).rejects.toThrow(ThreadFileError);
    }
    const lines = text.trimEnd().split("\n");
    for (const left of [1, 5, lines.length - 2]) {
      await expect(threads.import([lines.toSpliced(left, 1).join("\n")], { id: "cut" })).rejects.toThrow(
        ThreadFileError,
      );
    }
    expect(await threads.get("cut")).toBeUndefined();
    expect(await threads.checkpointer.getTuple(at("cut"))).toBeUndefined();
  });
});

test.each([
  ["an empty file", "", "it is empty"],
  ["another file", '{"type":"thread","id":1}\n', "Line 1: This is not how an exported thread begins"],
  ["no JSON at all", "Dear Sir or Madam\n", "Line 1: This is not JSON"],
  [
    "a newer format",
    '{"type":"glassloop-thread","format":2,"thread":"whatever"}\n',
    "format 2, and this Glassloop reads formats up to 1",
  ],
  [
    "a header that is wrong",
    '{"type":"glassloop-thread","format":1,"thread":{"id":7}}\n',
    "Line 1: This is no part of an exported thread",
  ],
])("%s is refused with a sentence", async (_name, text, message) => {
  await using threads = await openThreads("memory:");
  const error: unknown = await threads.import([text]).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ThreadFileError);
  expect(String(error)).toContain(message);
  expect(String(error)).toContain("Nothing was imported.");
});

test("a file that was changed by hand is refused", async () => {
  await using threads = await openThreads("memory:");
  await halfway(threads);
  const text = await exported(threads);
  await expect(threads.import([text.replace("Hello!", "Hullo!")], { id: "x" })).rejects.toThrow(
    "was changed after it was exported",
  );
  await expect(threads.import([`${text}{}\n`], { id: "x" })).rejects.toThrow("more after the last line");
});
