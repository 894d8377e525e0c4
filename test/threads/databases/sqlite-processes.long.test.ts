import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openThreads } from "../../../src/threads/open.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { at } from "../open-kind.js";
import { stepsGraph } from "../steps-graph.js";

let folder: string;
let file: string;
let url: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-sqlite-"));
  file = join(folder, "threads.db");
  url = `sqlite:${file}`;
});

afterEach(() => rm(folder, { recursive: true }));

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));

describe("several processes", () => {
  test("make and write one file at once, and lose nothing", async () => {
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
    let checkpoints = 0;
    for await (const tuple of threads.checkpointer.list(at("shared"))) {
      expect(tuple.checkpoint.channel_versions).toBeDefined();
      checkpoints += 1;
    }
    expect(checkpoints).toBe(names.length * turns * 3);
  });

  test("that are killed leave an undamaged file", async () => {
    for (const delay of [20, 60, 110]) {
      const child = fork(fixture("write-until-killed"), [url]);
      await once(child, "message");
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill("SIGKILL");
      await once(child, "exit");
      await using threads = await openThreads(url);
      const graph = stepsGraph(threads.checkpointer);
      let checkpoints = 0;
      for await (const { values } of graph.getStateHistory(at("long"))) {
        const messages: { type: string; id: string }[] = values.messages ?? [];
        for (const [index, { type, id }] of messages.entries()) if (type === "ai") expect(id).toBe(`answer-${index}`);
        checkpoints += 1;
      }
      expect(checkpoints).toBeGreaterThan(2);
    }
    await copyFile(file, `${file}.copy`);
    expect(await querySqlite(`${file}.copy`, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });
});
