import { describe, expect, test } from "vitest";
import { runProgram } from "../fake-io.js";
import { modelAndDatabase, scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";

const [step = "", answer = ""] = squareRootReplies;
/** A step that costs 15 cents by the price list. */
const dearStep = { text: String(step), usage: { prompt: 1_000_000, completion: 10 } };
const inMemory = ["--db", "memory:"];

describe("--max-dollars", () => {
  test("ends a turn at this cost by list prices, and the turn can go on without it", async () => {
    await using at = await modelAndDatabase([dearStep, answer]);
    const priced = [...at.model.options, "--model", "gpt-4o-mini"];
    const first = await at.run(["ask", "-t", "dear", ...priced, "--max-dollars", "0.10", squareRoot]);
    const stopped = "I stopped without an answer: the question was not settled within the 0.1 US dollars";
    expect([first.exitCode, first.stderr]).toEqual([1, expect.stringContaining(stopped)]);
    expect(at.model.server.requests).toHaveLength(1);
    const unlimited = await at.run(["threads", "resume", "dear", ...priced]);
    expect([unlimited.exitCode, unlimited.stdout]).toEqual([0, expect.stringContaining("is 5.")]);
  });

  test.for([
    [["--max-dollars", "1"], {}, "--max-dollars"],
    [[], { GLASSLOOP_MAX_DOLLARS: "1" }, "GLASSLOOP_MAX_DOLLARS"],
  ] as const)("with %j and %j is refused for a model without a price", async ([options, env, place]) => {
    await using model = await scriptedServer([]);
    const models = ["--model", "gpt-4o-mini,llama3.2"];
    const asked = await runProgram(["ask", ...inMemory, ...model.options, ...models, ...options, "Hi"], { env });
    expect([asked.exitCode, asked.stderr]).toEqual([
      2,
      expect.stringMatching(
        `^error: ${place}: The price of the model "llama3\\.2" is not known\\. Limit its tokens with --max-tokens, ` +
          'and take this limit away with --max-dollars ""\\.\n$',
      ),
    ]);
    expect(model.server.requests).toEqual([]);
  });

  test("holds for the offline rules, which cost nothing", async () => {
    const asked = await runProgram(["ask", ...inMemory, "--max-dollars", "0.001", "What is 2 + 2?"]);
    expect(asked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("4") });
  });

  test.for(["0", "-1", "1e3"])("cannot be %s", async (text) => {
    const { exitCode, stderr } = await runProgram(["ask", ...inMemory, `--max-dollars=${text}`, "Hi"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Give a number above 0, such as 0.50.")]);
  });
});
