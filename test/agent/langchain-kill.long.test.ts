import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundledProgram } from "../../bench/bundled-program.mjs";
import { openThreads } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { isFull } from "../matrix/matrix.js";
import { expectHeld } from "./langchain-held.js";
import { agentOf, scenarios, thread } from "./langchain-scenarios.js";

const program = await bundledProgram(new URL("fixtures/langchain-run.ts", import.meta.url));

/** All in all protocols, or a quarter of them with calls in text and another one with native ones. */
const cells = (isFull ? dialects : [inReact, inToolCalls]).flatMap((dialect, place) =>
  scenarios.flatMap(([middleware, holds, scenarioIn], number) => {
    const cell = { dialect, protocol: dialect.protocol, middleware, holds, number, scenario: scenarioIn(dialect) };
    return isFull || number % 4 === place ? [cell] : [];
  }),
);

it.each(cells)(
  "in $protocol a process is killed in mid-turn, others go on and decide: $middleware: $holds",
  async ({ dialect, protocol, number, scenario }) => {
    const folder = await mkdtemp(join(tmpdir(), "glassloop-langchain-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [url, file] = [`sqlite:${join(folder, "threads.db")}`, join(folder, "prompts")];
    await writeFile(file, "");
    const prompts = (): string[] =>
      readFileSync(file, "utf8")
        .split("\n")
        .flatMap((line) => (line === "" ? [] : JSON.parse(line)));
    const run = (ask: unknown, killAt?: number) => {
      const job = { url, file, protocol, scenario: number, ask, made: prompts().length, killAt };
      const { status, signal, stderr } = spawnSync(process.execPath, [program, JSON.stringify(job)], {
        encoding: "utf8",
      });
      return { end: signal ?? status, stderr };
    };
    const ends = [];
    for (const ask of scenario.asks ?? ["What is it, please?"]) {
      const { end, stderr } = run(ask, scenario.replies.length > 1 ? 1 : 0);
      if (scenario.refused) return expect(stderr).toMatch(scenario.refused);
      if (end === "SIGKILL") expect(run(null)).toMatchObject({ end: 0 });
      ends.push(end);
    }
    expect(ends.filter((end) => end !== 0)).toEqual(scenario.replies.length > 0 ? ["SIGKILL"] : []);
    await using threads = await openThreads(url);
    const reader = agentOf(scenario, dialect, scriptedModel([]), threads.checkpointer);
    expectHeld(scenario, (await reader.getState(thread)).values, prompts());
  },
);
