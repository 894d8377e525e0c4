import { readFileSync } from "node:fs";
import * as langchain from "langchain";
import { describe, expect, it, onTestFinished } from "vitest";
import { openThreads, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf, piecesOf } from "../helpers/turn-events.js";
import { sqlite } from "../matrix/databases.js";
import { dialects, inReact, inToolCalls } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";
import { expectHeld } from "./langchain-held.js";
import { agentOf, inputsOf, scenarios, shownIn, thread } from "./langchain-scenarios.js";

const cells = dialects.flatMap((dialect) => [
  { dialect, protocol: dialect.protocol, how: "whole" },
  { dialect, protocol: dialect.protocol, how: "streamed" },
]);
const short = cells.filter(({ dialect, how }) => dialect === (how === "whole" ? inToolCalls : inReact));

describe.each(matrix(cells, ...short))("in $protocol, $how, on SQLite", ({ dialect, how }) => {
  it.each(scenarios)("%s: %s", async (_middleware, _holds, scenarioIn) => {
    const scenario = scenarioIn(dialect);
    const database = await sqlite.create();
    onTestFinished(() => database.remove());
    const model = scriptedModel(scenario.replies);
    let values: Record<string, unknown> = {};
    for (const input of inputsOf(scenario)) {
      await using threads = await openThreads(database.url);
      const agent = agentOf(scenario, dialect, model, threads.checkpointer);
      const run = how === "streamed" ? allOf(streamTurn(agent, input, thread)) : agent.invoke(input, thread);
      if (scenario.refused) return await expect(run).rejects.toThrow(scenario.refused);
      const ended = await run;
      values = (await agent.getState(thread)).values;
      if (Array.isArray(ended) && values.answer !== null) expect(piecesOf(ended)).toBe(values.answer);
    }
    const prompts = model.calls.map(({ prompt, tools }) => shownIn(prompt, tools));
    expectHeld(scenario, values, prompts);
  });
});

it("the page of middleware says what holds with each of LangChain's", async () => {
  const page = readFileSync("docs/middleware.md", "utf8");
  const rows = scenarios.map(
    ([middleware, holds]) => `| ${middleware.replaceAll(/\w+Middleware/g, "`$&`")} | ${holds} |\n`,
  );
  const written = page.replace(/(?<=^\| middleware \| what holds \|\n.*\n)(?:\|.*\n)+/m, () => rows.join(""));
  await expect(written).toMatchFileSnapshot("../../docs/middleware.md");
  const theirs = Object.keys(langchain).filter((name) => /Middleware$/.test(name) && name !== "createMiddleware");
  for (const name of theirs) expect(written).toContain(`\`${name}\``);
});
