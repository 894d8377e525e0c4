import { tool } from "@langchain/core/tools";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { ThreadError, ThreadFileError } from "../../../src/base/errors.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { coded } from "../../helpers/coded.js";
import { databaseKinds } from "../each-database.js";
import { exportedLines, kindOf, sealed } from "../exported-file.js";
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

/** An agent with a tool that pays, which no one may do twice. */
function payerOn({ checkpointer }: Threads, pay: (amount: string) => unknown, ...replies: string[]) {
  const payTool = tool(({ input }) => pay(input), {
    name: "pay",
    description: "Pays.",
    schema: z.object({ input: z.string() }),
    metadata: { effects: true },
  });
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [payTool], protocol: "react", rephrase: false, checkpointer });
}

/** A thread with a pin that was cut off while it paid; and what was paid. */
async function cutOff(threads: Threads): Promise<string[]> {
  const paid: string[] = [];
  const controller = new AbortController();
  const pay = (amount: string) => {
    paid.push(amount);
    controller.abort(new Error("enough"));
    throw new Error("cut off");
  };
  const agent = payerOn(threads, pay, " Pay\nAction: pay\nAction Input: 5");
  const run = agent.invoke({ messages: "Pay" }, { ...at("t"), signal: controller.signal });
  await expect(run).rejects.toThrow("enough");
  await vi.waitFor(async () => expect((await threads.get("t"))?.status).not.toBe("running"));
  await threads.pin("t", (await threads.history("t")).turns[0]?.steps[0]?.checkpoint ?? "");
  return paid;
}

/** The file of a thread, which has lines of every kind, as lines with their line breaks. */
async function linesOfEveryKind(threads: Threads): Promise<string[]> {
  await cutOff(threads);
  const lines = (await exported(threads)).split(/(?<=\n)/);
  expect(new Set(lines.map(kindOf))).toEqual(
    new Set(["glassloop-thread", "item", "checkpoint", "version", "write", "action", "pin", "end"]),
  );
  return lines;
}

/** A line with one of its values changed, for each of them: by a letter, or by 1. */
function* changesOf(line: string): Generator<string> {
  for (const { 0: value, index } of line.matchAll(/(?<=":)(?:"(?:[^"\\]|\\.)*"|\d+)/g)) {
    const changed = /\d$/.test(value) ? String(Number(value) + 1) : value.replace(/(?<!\\)[a-y]|(?="$)/, "z");
    yield line.slice(0, index) + changed + line.slice(index + value.length);
  }
}

async function expectRefused(threads: Threads, lines: readonly string[], what: string): Promise<void> {
  const error: unknown = await threads.import(lines, { id: "refused" }).catch((error: unknown) => error);
  expect([what, error]).toEqual([what, expect.any(ThreadFileError)]);
}

async function exported(threads: Threads, thread?: string): Promise<string> {
  return (await exportedLines(threads, thread)).join("");
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
    expect(lines[0]).toMatchObject({ type: "glassloop-thread", format: 2, thread: { id: "t", title: "Say hello" } });
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
    const paid = await cutOff(threads);
    await using elsewhere = await openThreads("memory:");
    await elsewhere.import([await exported(threads)]);
    const agent = payerOn(elsewhere, (amount) => paid.push(amount), " I know\nFinal Answer: Perhaps.");
    const { intermediateSteps } = await agent.invoke(null, at("t"));
    expect(intermediateSteps[0]?.results).toMatchObject([{ status: "unknown" }]);
    expect(paid).toEqual(["5"]);
  });

  test("is not imported over another one", async () => {
    const { threads } = await openKind(kind);
    await halfway(threads);
    const before = await exported(threads);
    await expect(threads.import([before])).rejects.toThrow(coded(ThreadError, "thread-exists"));
    expect(await exported(threads)).toBe(before);
    await expect(exported(threads, "nobody")).rejects.toThrow(coded(ThreadError, "thread-not-found"));
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

  test("is refused when a line of its file is changed, missing, doubled or elsewhere, of whatever kind it is", async () => {
    const { threads } = await openKind(kind);
    const lines = await linesOfEveryKind(threads);
    for (const [index, line] of lines.entries()) {
      // The last one of each kind.
      if (lines.slice(index + 1).some((later) => kindOf(later) === kindOf(line))) continue;
      for (const changed of changesOf(line)) await expectRefused(threads, lines.with(index, changed), changed);
      await expectRefused(threads, lines.toSpliced(index, 1), `without ${line}`);
      await expectRefused(threads, lines.toSpliced(index, 0, line), `twice ${line}`);
      const moved = lines.toSpliced(index, 1).toSpliced(index === 0 ? 1 : index - 1, 0, line);
      await expectRefused(threads, moved, `moved ${line}`);
    }
    expect((await threads.list()).map(({ id }) => id)).toEqual(["t"]);
    expect(await threads.checkpointer.getTuple(at("refused"))).toBeUndefined();
    expect(await threads.import(lines, { id: "whole" })).toMatchObject({ turns: 1 });
  });
});

test.each([
  ["an empty file", "", "it is empty"],
  ["another file", '{"type":"thread","id":1}\n', "Line 1: This is not how an exported thread begins"],
  ["no JSON at all", "Dear Sir or Madam\n", "Line 1: This is not JSON"],
  [
    "a newer format",
    '{"type":"glassloop-thread","format":3,"thread":"whatever"}\n',
    "format 3, and this Glassloop reads formats up to 2",
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

describe("a file whose sum is right", () => {
  test("is refused when it lacks something that its lines need", async () => {
    await using threads = await openThreads("memory:");
    await halfway(threads);
    const lines = (await exported(threads)).split(/(?<=\n)/);
    expect(await threads.import(sealed(lines), { id: "whole" })).toMatchObject({ turns: 2 });
    const needed = lines.flatMap((line) => /"base":([\d.]+)/.exec(line)?.[1] ?? []);
    const without: Record<string, (line: string) => boolean> = {
      "a version that a list is based on": (line) => needed.some((base) => line.includes(`"version":${base},`)),
      "an item": (line) => line.includes("Say hello") && kindOf(line) === "item",
      "its checkpoints": (line) => kindOf(line) === "checkpoint",
    };
    for (const [what, isMissing] of Object.entries(without)) {
      const left = lines.filter((line) => !isMissing(line));
      expect([what, left.length]).not.toEqual([what, lines.length]);
      await expectRefused(threads, sealed(left), what);
    }
    expect(await threads.get("refused")).toBeUndefined();
  });

  test("is refused when an item is not the one that it is named after", async () => {
    await using threads = await openThreads("memory:");
    await halfway(threads);
    const lines = (await exported(threads)).split(/(?<=\n)/);
    const changed = lines.map((line) => (kindOf(line) === "item" ? line.replace("Hello!", "Hullo!") : line));
    expect(changed).not.toEqual(lines);
    await expectRefused(threads, sealed(changed), "an item");
    expect(await threads.get("refused")).toBeUndefined();
  });
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
