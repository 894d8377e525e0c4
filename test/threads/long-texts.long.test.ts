import { tool } from "@langchain/core/tools";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent/create-agent.js";
import { ThreadError } from "../../src/base/errors.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { numberOf } from "../../src/threads/databases/database.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { regenerate } from "../../src/turns/go-back.js";
import { coded } from "../helpers/coded.js";
import { lastingDatabases } from "../matrix/databases.js";
import { answer } from "./agents.js";
import { at, checkpointerOf, openKind } from "./open-kind.js";

const asked = `How does it end? ${"It was the best of times. ".repeat(800)}`.trim();
const page = `Page: ${"It was the worst of times. ".repeat(800)}`.trim();
const said = `So: ${"It was the spring of hope. ".repeat(800)}`.trim();

const read = " I read\nAction: book\nAction Input: the end";

function agentOn(checkpointer: Threads["checkpointer"], ...replies: ScriptedReply[]) {
  const book = tool(() => page, { name: "book", description: "Reads a page.", schema: z.object({ page: z.string() }) });
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [book], protocol: "react", rephrase: false, checkpointer });
}

/** Asks a long question that needs a long observation and gets a long answer. */
function ask({ checkpointer }: Threads, thread = "t") {
  return agentOn(checkpointer, read, answer(said)).invoke({ messages: asked }, at(thread));
}

/** Reads the texts of a thread's messages, as a process that has nothing in its memory. */
async function textsOf(threads: Threads, thread = "t"): Promise<string[]> {
  const checkpointer = new ThreadCheckpointer(checkpointerOf(threads).database);
  const { values } = await agentOn(checkpointer).getState(at(thread));
  return values.messages.map(({ text }: { text: string }) => text);
}

const messages = [asked, "I read", page, said];
/** The fourth one is the reply in which the model gave the answer. */
const longTexts = [asked, page, said, answer(said)];

/** The number of characters in all rows of all tables. */
async function stored(threads: Threads): Promise<number> {
  const { database } = checkpointerOf(threads);
  const columns = [
    ["items", "content"],
    ["versions", "body"],
    ["writes", "body"],
    ["checkpoints", "body"],
    ["checkpoints", "metadata"],
  ];
  const sizes = columns.map(([table, column]) =>
    database.all(`select cast(sum(length(${column})) as double precision) as n from glassloop_${table}`),
  );
  return (await Promise.all(sizes)).flat().reduce((sum, row) => sum + (row.n === null ? 0 : numberOf(row, "n")), 0);
}

async function countTexts(threads: Threads): Promise<number> {
  const { database } = checkpointerOf(threads);
  return (await database.all("select hash from glassloop_items where length(content) > 9000")).length;
}

async function reopened(threads: Threads, url: string): Promise<Threads> {
  await threads.close();
  const again = await openThreads(url);
  onTestFinished(() => again.close());
  return again;
}

describe.each(lastingDatabases)("long texts in $name", (kind) => {
  test("are stored once, and can be read after a restart, in the state, the history and the next turn", async () => {
    const { threads, url } = await openKind(kind);
    await ask(threads);
    expect(await countTexts(threads)).toBe(longTexts.length);
    expect(await stored(threads)).toBeLessThan(1.2 * longTexts.join("").length);
    expect(await textsOf(threads)).toEqual(messages);
    const again = await reopened(threads, url);
    expect(await textsOf(again)).toEqual(messages);
    expect((await again.history("t")).turns).toMatchObject([{ asked, answer: said }]);
    const agent = agentOn(again.checkpointer, answer("Yes."), answer("No."));
    await agent.invoke({ messages: asked }, at("t"));
    await regenerate(agent, "t");
    expect(await textsOf(again)).toEqual([...messages, asked, "No."]);
    expect(await countTexts(again)).toBe(longTexts.length);
  });

  test("can be read when a turn resumes that was stopped after its tool", async () => {
    const { threads, url } = await openKind(kind);
    await expect(
      agentOn(threads.checkpointer, read, new Error("away")).invoke({ messages: asked }, at("t")),
    ).rejects.toThrow("away");
    const again = await reopened(threads, url);
    expect(await agentOn(again.checkpointer, answer(said)).invoke(null, at("t"))).toMatchObject({ answer: said });
    expect(await textsOf(again)).toEqual(messages);
  });

  test("stay after forks, pruning and copies, and go with deleted threads", async () => {
    const { threads } = await openKind(kind);
    await ask(threads);
    await agentOn(threads.checkpointer, answer("Yes.")).invoke({ messages: "Sure?" }, at("t"));
    const [first] = (await threads.history("t")).turns;
    await threads.fork("t", first?.steps.at(-1)?.checkpoint ?? "", "fork");
    await threads.prune({ keepTurns: 0 });
    expect(await textsOf(threads)).toEqual([...messages, "Sure?", "Yes."]);
    expect(await threads.get("fork")).toMatchObject({ title: expect.stringContaining("How does it end?"), turns: 1 });
    expect(await textsOf(threads, "fork")).toEqual(messages);
    await using elsewhere = await openThreads("memory:");
    await threads.copy("t", elsewhere);
    await threads.delete("t");
    await threads.delete("fork");
    expect(await countTexts(threads)).toBe(0);
    expect(await textsOf(elsewhere)).toEqual([...messages, "Sure?", "Yes."]);
    expect(await elsewhere.search("hope")).toMatchObject([{ thread: "t", speaker: "answer" }]);
    await elsewhere.delete("t");
    expect(await countTexts(elsewhere)).toBe(0);
  });

  test("can be searched in their first 65,536 characters, and are shown around the word", async () => {
    const { threads } = await openKind(kind);
    const filler = "word ".repeat(13_000);
    const agent = agentOn(threads.checkpointer, answer("Yes."));
    await agent.invoke({ messages: `Begin ${filler} NEAR ${filler} FAR` }, at("t"));
    const [hit, ...others] = await threads.search("near begin");
    expect(others).toEqual([]);
    expect(await threads.search("near")).toMatchObject([
      { excerpt: expect.stringMatching(/^…(word )+ ?NEAR( word)+/) },
    ]);
    expect(hit?.excerpt).toMatch(/^Begin word/);
    expect(await threads.search("far")).toEqual([]);
  });

  test("cause an error if they are missing, and the thread continues from a readable checkpoint", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads.checkpointer, answer("Hello!")).invoke({ messages: "Hi" }, at("t"));
    await agentOn(threads.checkpointer, answer(said)).invoke({ messages: "More" }, at("t"));
    const { database } = checkpointerOf(threads);
    const damaged = (await threads.history("t")).turns.at(-1)?.steps.at(-1)?.checkpoint;
    await database.batch([{ sql: "delete from glassloop_items where length(content) > 9000", parameters: [] }]);
    const fresh = agentOn(new ThreadCheckpointer(database));
    await expect(fresh.getState(at("t", damaged))).rejects.toThrow(coded(ThreadError, "damaged-thread"));
    await expect(threads.history("t")).rejects.toThrow(coded(ThreadError, "damaged-thread"));
    expect((await textsOf(threads)).slice(0, 2)).toEqual(["Hi", "Hello!"]);
  });
});
