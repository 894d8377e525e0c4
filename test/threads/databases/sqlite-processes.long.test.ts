import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { openThreads } from "../../../src/threads/open.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { sqlite } from "../../matrix/databases.js";
import { allOf, at } from "../open-kind.js";
import { stepsGraph } from "../steps-graph.js";

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));

describe("several processes on one SQLite file", () => {
  test("make and write it at once, and lose nothing", async () => {
    const { url, remove } = await sqlite.create();
    onTestFinished(remove);
    const names = ["a", "b", "c"];
    const turns = 5;
    const exits = names.map(async (name) => {
      const child = fork(fixture("write-turns"), [url, name, String(turns)]);
      const [code] = await once(child, "exit");
      return code;
    });
    expect(await Promise.all(exits)).toEqual([0, 0, 0]);
    await using threads = await openThreads(url);
    expect(await threads.list()).toHaveLength(names.length * (turns + 1) + 1);
    const graph = stepsGraph(threads.checkpointer);
    for (const name of names) {
      expect((await graph.getState(at(`${name}-long`))).values.messages).toHaveLength(2 * turns);
      for (let turn = 0; turn < turns; turn += 1) {
        expect((await graph.getState(at(`${name}-${turn}`))).values.messages).toHaveLength(2);
      }
    }
    // Runs of several processes on one thread are branches of it; each of its checkpoints can be read.
    expect(await allOf(threads.checkpointer.list(at("shared")))).toHaveLength(names.length * turns * 3);
  });

  test("that are killed leave it undamaged", async () => {
    const { url, remove } = await sqlite.create();
    onTestFinished(remove);
    for (const delay of [20, 60, 110]) {
      const child = fork(fixture("write-until-killed"), [url]);
      await once(child, "message");
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill("SIGKILL");
      await once(child, "exit");
      await using threads = await openThreads(url);
      const history = await allOf(stepsGraph(threads.checkpointer).getStateHistory(at("long")));
      expect(history.length).toBeGreaterThan(2);
      for (const { values } of history) {
        const messages: { type: string; id: string }[] = values.messages ?? [];
        for (const [index, { type, id }] of messages.entries()) if (type === "ai") expect(id).toBe(`answer-${index}`);
      }
    }
    const file = url.slice("sqlite:".length);
    await copyFile(file, `${file}.copy`);
    expect(await querySqlite(`${file}.copy`, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });
});
