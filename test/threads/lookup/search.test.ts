import { describe, expect, test } from "vitest";
import { InvalidOptionError } from "../../../src/base/errors.js";
import type { Threads } from "../../../src/threads/open.js";
import { regenerate } from "../../../src/turns/go-back.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { agentOn, answer } from "../agents.js";
import { at, openKind } from "../open-kind.js";

async function ask(threads: Threads, thread: string, question: string, said: string): Promise<void> {
  await agentOn(threads, answer(said)).invoke({ messages: question }, at(thread));
}

describe.each(matrix(databases, memory))("search in $name", (kind) => {
  test("finds questions and answers, those of the thread written last first", async () => {
    const { threads } = await openKind(kind);
    await ask(threads, "a", "Where is the Eiffel Tower?", "In Paris.");
    await ask(threads, "b", "What is the capital of France?", "Paris, on the Seine.");
    await ask(threads, "c", "What is 2 + 2?", "4");
    expect(await threads.search("paris")).toEqual([
      { thread: "b", title: "What is the capital of France?", speaker: "answer", excerpt: "Paris, on the Seine." },
      { thread: "a", title: "Where is the Eiffel Tower?", speaker: "answer", excerpt: "In Paris." },
    ]);
    expect(await threads.search("tower")).toMatchObject([{ thread: "a", speaker: "question" }]);
    expect(await threads.search("paris", { limit: 1 })).toHaveLength(1);
    expect(await threads.search("london")).toEqual([]);
  });

  test("wants every word, in any order, without case and accents", async () => {
    const { threads } = await openKind(kind);
    await ask(threads, "a", "Wie alt ist das Großmünster in ZÜRICH?", "Rund 900 Jahre: Любовь, 東京.");
    for (const text of ["zurich grossmunster", "ZÜRICH alt", "großmünster", "любовь", "東京", "Zu\u0308rich"]) {
      const found = (await threads.search(text)).length;
      expect([text, found]).toEqual([text, text.includes("gross") ? 0 : 1]);
    }
    expect(await threads.search("zurich london")).toEqual([]);
  });

  test("treats the query syntax of databases as plain text", async () => {
    const { threads } = await openKind(kind);
    await ask(threads, "a", `100% of "it's" a_b \\n`, "yes");
    await ask(threads, "b", "1000 of axb", "no");
    for (const text of ["100%", "a_b", `"it's"`, "\\n", "%"]) {
      expect([text, (await threads.search(text)).map(({ thread }) => thread)]).toEqual([text, ["a"]]);
    }
  });

  test("accepts a page of words, and names the limit", async () => {
    const { threads } = await openKind(kind);
    const words = Array.from({ length: 200 }, (_, index) => `${index}`);
    await ask(threads, "a", words.join(" "), "yes");
    expect(await threads.search([...words, ...words].join(" "))).toHaveLength(1);
    expect(await threads.search("x".repeat(10_000))).toEqual([]);
    await expect(threads.search([...words, "one"].join(" "))).rejects.toThrow("at most 200 different words");
    await expect(threads.search("x".repeat(10_001))).rejects.toThrow("at most 10,000 characters");
  });

  test("shows the part of a long text where a word was found", async () => {
    const { threads } = await openKind(kind);
    await ask(threads, "a", "Tell me a lot", `${"word ".repeat(100)}NEEDLE in${" word".repeat(100)}`);
    const [hit] = await threads.search("needle");
    expect(hit?.excerpt).toMatch(/^…(word )+NEEDLE in( word)+/);
    expect(hit?.excerpt.endsWith("…")).toBe(true);
    expect(hit?.excerpt.length).toBeLessThan(250);
  });

  test("leaves tool calls and observations out", async () => {
    const { threads } = await openKind(kind);
    const add = " The magic word is abracadabra\nAction: calculator\nAction Input: 1234+1";
    await agentOn(threads, add, answer("done")).invoke({ messages: "Add" }, at("a"));
    expect(await threads.search("abracadabra")).toEqual([]);
    expect(await threads.search("1235")).toEqual([]);
    expect(await threads.search("done")).toHaveLength(1);
  });

  test("finds the answer of an old branch until it is pruned, and nothing of a deleted thread", async () => {
    const { threads } = await openKind(kind);
    await ask(threads, "a", "Greet", "Bonjour");
    await regenerate(agentOn(threads, answer("Guten Tag")), "a");
    expect(await threads.search("bonjour")).toHaveLength(1);
    await threads.prune({ keepTurns: 1, dropBranches: true });
    expect(await threads.search("bonjour")).toEqual([]);
    expect(await threads.search("guten tag")).toHaveLength(1);
    await threads.delete("a");
    expect(await threads.search("guten tag")).toEqual([]);
  });

  test("refuses to search for nothing, and to find nothing", async () => {
    const { threads } = await openKind(kind);
    for (const text of ["", "  \n "]) await expect(threads.search(text)).rejects.toThrow(InvalidOptionError);
    await expect(threads.search(JSON.parse("null"))).rejects.toThrow("give the words to search for");
    await expect(threads.search("word", { limit: 0 })).rejects.toThrow("whole number from 1");
  });
});
