import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/agent/create-agent.js";
import { ThreadFileError } from "../../../src/base/errors.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { hashOf } from "../../../src/threads/values/serialize.js";
import { databaseKinds } from "../each-database.js";
import { exportedLines, sealed } from "../exported-file.js";
import { expectSameData, hostileData } from "../hostile-data.js";
import { at, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

type Line = Record<string, unknown>;

/** The file of a thread that waits in the middle of a turn, as data. */
async function fileOf(threads: Threads): Promise<Line[]> {
  const graph = stepsGraph(threads.checkpointer);
  await graph.invoke({ messages: [question("q")] }, at("t"));
  await graph.invoke({ messages: [question("q2")] }, { ...at("t"), interruptAfter: ["act"] });
  const lines = await exportedLines(threads);
  await threads.delete("t");
  return lines.map((line): Line => JSON.parse(line));
}

function fileWith(lines: readonly unknown[]): string[] {
  return sealed(lines.map((line) => `${JSON.stringify(line)}\n`));
}

/** Changes the last line of a kind that has the given values. */
function changed(lines: readonly Line[], which: Line, change: Line | ((line: Line) => Line)): Line[] {
  const index = lines.findLastIndex((line) => Object.entries(which).every(([key, value]) => line[key] === value));
  expect([which, index]).not.toEqual([which, -1]);
  const line = lines[index] ?? {};
  return lines.with(index, typeof change === "function" ? change(line) : { ...line, ...change });
}

function withPart(lines: readonly Line[], part: Line): Line[] {
  return lines.toSpliced(-1, 0, part);
}

function item(content: string, as = "json"): Line {
  return { type: "item", hash: hashOf({ type: as, content }), as, content };
}

const version = { type: "version", namespace: "" };
const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const message = (kwargs: object) =>
  JSON.stringify({ lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs });

const attacks: Record<string, (lines: Line[]) => Line[]> = {
  "a list that keeps more than there was": (lines) =>
    changed(lines, { ...version, channel: "messages" }, { body: '{"kept":4294967295,"items":[]}' }),
  "a list that keeps half an element": (lines) =>
    changed(lines, { ...version, channel: "messages" }, { body: '{"kept":0.5,"items":[]}' }),
  "a list that keeps less than nothing": (lines) =>
    changed(lines, { ...version, channel: "messages" }, { body: '{"kept":-1,"items":[]}' }),
  "a version that is based on itself": (lines) =>
    changed(lines, { ...version, channel: "messages" }, (line) => ({ ...line, base: line.version })),
  "a version that is based on a newer one": (lines) => {
    const newer = { ...version, channel: "messages", version: 1e9, body: "[1]" };
    return withPart(changed(lines, { ...version, channel: "messages" }, { base: 1e9 }), newer);
  },
  "a checkpoint that is its own parent": (lines) =>
    changed(lines, { type: "checkpoint" }, (line) => ({ ...line, parent: line.id })),
  "checkpoints in a circle": (lines) =>
    changed(
      lines,
      { type: "checkpoint", parent: undefined },
      { parent: lines.findLast(({ type }) => type === "checkpoint")?.id },
    ),
  "a checkpoint with metadata that is none": (lines) => changed(lines, { type: "checkpoint" }, { metadata: "{}" }),
  "a checkpoint with metadata that is no JSON": (lines) => changed(lines, { type: "checkpoint" }, { metadata: "{" }),
  "a checkpoint without an id": (lines) => changed(lines, { type: "checkpoint" }, { id: "" }),
  "a part that is there twice": (lines) => withPart(lines, lines.find(({ type }) => type === "version") ?? {}),
  "an item that is there twice": (lines) => withPart(lines, lines.find(({ type }) => type === "item") ?? {}),
  "an item of an unknown type": (lines) => withPart(lines, item("{}", "evil")),
  "an item that is no JSON": (lines) => withPart(lines, item("{")),
  "an item that is very deep": (lines) => withPart(lines, item(deep)),
  "a message that is no JSON": (lines) => withPart(lines, item(message({ content: "x" }).slice(0, -1))),
  "a message without content": (lines) => withPart(lines, item(message({}))),
  "a message with a number for content": (lines) => withPart(lines, item(message({ content: 5 }))),
  "a message with calls that are none": (lines) => withPart(lines, item(message({ content: "x", tool_calls: [1] }))),
  "a value that is very deep": (lines) => changed(lines, { ...version, channel: "count" }, { body: `[${deep}]` }),
  "a value of no form": (lines) => changed(lines, { ...version, channel: "count" }, { body: '{"evil":1}' }),
  "an unreadable outcome of a tool": (lines) =>
    withPart(lines, { type: "action", task: "t", action: "1-1-1", outcome: "{}" }),
  "a pending write that is none": (lines) =>
    withPart(lines, { type: "write", namespace: "", checkpoint: "c", task: "t", position: 0, body: "[1]" }),
  "a pending write that keeps what never was": (lines) =>
    withPart(lines, {
      type: "write",
      namespace: "",
      checkpoint: lines.find(({ type }) => type === "checkpoint")?.id,
      task: "t",
      position: 9,
      body: '[["messages",{"kept":1,"items":[]},77]]',
    }),
  "a NUL in a name": (lines) => withPart(lines, { type: "pin", checkpoint: "a\0b" }),
  "a name without end": (lines) => withPart(lines, { type: "pin", checkpoint: "a".repeat(10_000) }),
  "a number that no database can keep": (lines) =>
    changed(lines, { type: "glassloop-thread" }, (line) => ({
      ...line,
      thread: { ...Object(line.thread), turns: 9e15 },
    })),
  "a time that is none": (lines) =>
    changed(lines, { type: "glassloop-thread" }, (line) => ({
      ...line,
      thread: { ...Object(line.thread), createdAt: "soon" },
    })),
};

describe.each(databaseKinds)("a file from elsewhere, in $name", (kind) => {
  test("is refused with a sentence, and nothing of it stays, when it is made to do harm", async () => {
    const { threads } = await openKind(kind);
    const lines = await fileOf(threads);
    for (const [name, attack] of Object.entries(attacks)) {
      const error: unknown = await threads
        .import(fileWith(attack(lines)), { id: "refused" })
        .catch((error: unknown) => error);
      expect([name, error]).toEqual([name, expect.any(ThreadFileError)]);
      expect([name, String(error).length < 1000]).toEqual([name, true]);
      expect([name, await threads.get("refused")]).toEqual([name, undefined]);
    }
    expect(await threads.import(fileWith(lines))).toMatchObject({ id: "t", turns: 0 });
    expect(await exportedLines(threads)).toHaveLength(lines.length);
  });

  test("brings data and messages, and nothing else to life", async () => {
    const { threads } = await openKind(kind);
    const model = scriptedModel([" I know\nFinal Answer: Hello!"]);
    const agentOn = (model = scriptedModel([" I know\nFinal Answer: Again!"])) =>
      createAgent({ model, tools: [], protocol: "react", rephrase: false, checkpointer: threads.checkpointer });
    await agentOn(model).invoke({ messages: "Say hello" }, at("t"));
    const lines = (await exportedLines(threads)).map((line): Line => JSON.parse(line));
    for (const [index, [name, data]] of Object.entries(hostileData).entries()) {
      const id = `t${index}`;
      const forged = changed(lines, { ...version, channel: "question" }, { body: JSON.stringify([data]) });
      await threads.import(fileWith(forged), { id });
      const { question } = (await agentOn().getState(at(id))).values;
      if (name === "a message") expect(question).toEqual(new HumanMessage("forged"));
      if (name === "a tracer" || name === "a model" || name === "a prototype") expectSameData(question, data, name);
      expectSameData({}, {}, name);
      expect((await agentOn().invoke({ messages: "Again" }, at(id))).answer).toBe("Again!");
    }
  });
});
