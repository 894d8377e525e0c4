import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { BaseMessage } from "@langchain/core/messages";
import { expect, test } from "vitest";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { randomFrom } from "../../helpers/random.js";
import { lastingDatabases } from "../../matrix/databases.js";
import { at, checkpointerOf, openKind } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

const renamer = fileURLToPath(new URL("../fixtures/rename-until-killed.mjs", import.meta.url));

/** The number of lines of an exported thread. */
async function linesOf(threads: Threads, thread: string): Promise<number> {
  let lines = 0;
  for await (const _line of threads.export(thread)) lines += 1;
  return lines;
}

/** The messages of a thread, read by a process that knows nothing of it; none if there is no such thread. */
async function messagesOf(threads: Threads, thread: string): Promise<string[]> {
  const { values } = await stepsGraph(threads.checkpointer).getState(at(thread));
  return (values.messages ?? []).map((message: BaseMessage) => message.text);
}

test.each(lastingDatabases)(
  "a kill at any moment leaves a thread in $name whole under one of its two ids",
  async (kind) => {
    const { threads, url } = await openKind(kind);
    const random = randomFrom(16);
    await stepsGraph(threads.checkpointer).invoke({ messages: [question("first")] }, at("a"));
    const whole = await messagesOf(threads, "a");
    const lines = await linesOf(threads, "a");
    for (let round = 0; round < 5; round += 1) {
      const child = fork(renamer, [url]);
      await once(child, "message");
      await sleep(random() * 30);
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;

      await using fresh = await openThreads(url);
      // Postgres may still execute a statement of a killed process. Once another run has held the threads, it no longer does.
      for (const id of ["a", "b"]) await (await checkpointerOf(fresh).guard.take(id)).release();
      const [id = "", ...others] = (await fresh.list()).map(({ id }) => id);
      expect(others).toEqual([]);
      expect(await messagesOf(fresh, id)).toEqual(whole);
      expect(await linesOf(fresh, id)).toBe(lines);
      expect(await messagesOf(fresh, id === "a" ? "b" : "a")).toEqual([]);
      if (id === "b") await fresh.rename("b", "a");
    }
  },
);
