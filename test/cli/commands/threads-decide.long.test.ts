import { tool } from "@langchain/core/tools";
import { interrupt } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { calculator, regenerate } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { openThreads } from "../../../src/threads/open.js";
import type { ServerReply } from "../../helpers/openai-server.js";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import {
  modelAndDatabase,
  scriptedServer,
  squareRoot,
  squareRootReplies,
  twoCalls,
  whenAsked,
} from "../scripted-server.js";
import { naming } from "../waiting-id.js";

const always = ["--approve", "always"];
const final = " I now know the final answer\nFinal Answer: Done.";
const native = ["--protocol", "tool-calling"];

/** A folder, a model, and a thread "sums" that waits for a decision. */
async function waitingThread(replies: readonly ServerReply[], more: readonly string[] = []) {
  const at = await modelAndDatabase(replies);
  const options = [...at.model.options, ...always, ...more];
  const asked = await at.run(["ask", "--json", ...options, "-t", "sums", squareRoot]);
  const requests = parseEvents(asked.stdout).flatMap((event) => (event.type === "approval" ? event.requests : []));
  return {
    ...at,
    options,
    ids: requests.map(({ id }) => id),
    /** Runs `glassloop threads decide sums` in this process. The words name the first call, unless they name another one. */
    decide: (words: readonly string[], input?: string) => {
      const [first] = requests;
      const isNamed = words.length === 0 || words.includes("--action") || first === undefined;
      const name = isNamed ? [] : ["--action", first.id];
      const all = ["threads", "decide", "sums", ...options, ...words, ...name];
      return at.run(all, input === undefined ? {} : { input });
    },
  };
}

describe.concurrent("a call that a person decides on", () => {
  test("waits after a process that ends with 3, is decided in a second, which is killed, and finishes in a third", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([squareRootReplies[0] ?? "", { hang: true }, squareRootReplies[1] ?? ""]);
    const asked = await folder.run(["ask", ...model.options, ...always, "-t", "sums", squareRoot]);
    expect(asked).toMatchObject({ exitCode: 3, stdout: "" });
    expect(asked.stderr).toMatch(
      /Action Input: .*\nWaiting: calculator \{"expression":"25\^\(1\/2\)"\}\n {2}Why: .*\n {2}Possible: approve, edit, refuse, answer\n {2}Id: [0-9a-f]+-1\nThe thread waits for a person\. Decide with: glassloop threads decide sums --model scripted --base-url \S+ --protocol react --tools calculator --approve always\n$/,
    );
    const listed = await runProgram(["threads", "list", "--db", `sqlite:${folder.path}/.glassloop/threads.db`]);
    expect(listed.stdout).toContain(" [waiting: calculator] What is the square root");

    const approve = ["threads", "decide", "sums", "approve", ...naming(asked.stderr), ...model.options, ...always];
    const killed = await folder.run(approve, { during: whenAsked(model, (child) => child.kill("SIGKILL"), 2) });
    expect(killed).toMatchObject({ signal: "SIGKILL" });
    const third = await folder.run(["threads", "resume", "sums", ...model.options, ...always]);
    expect(third).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
    expect(model.server.prompts().at(-1)).toContain("Observation: 5");
  });

  test("is another call than the one shown, if the question was answered again meanwhile", async () => {
    await using waiting = await waitingThread([squareRootReplies[0] ?? "", squareRootReplies[0] ?? "", final]);
    await using threads = await openThreads(waiting.db[1] ?? "");
    const model = scriptedModel([{ tool_calls: [{ name: "calculator", args: { expression: "999*999" } }] }]);
    const { checkpointer } = threads;
    await regenerate(createAgent({ model, tools: [calculator()], approve: "always", checkpointer }), "sums");
    const late = await waiting.decide(["approve"]);
    expect(late).toMatchObject({ exitCode: 2 });
    expect(late.stderr).toMatch(
      new RegExp(
        `^error: No call with the id "${waiting.ids[0]}" waits\\. Name one of these:\n  --action \\S+ {2}calculator .*999`,
      ),
    );
    const [, id] = /--action (\S+)/.exec(late.stderr) ?? [];
    const unnamed = await waiting.run(["threads", "decide", "sums", "approve", ...waiting.options]);
    expect(unnamed).toMatchObject({ exitCode: 2 });
    expect(unnamed.stderr).toMatch(
      /^error: Name the call that you decide about, as it may be new to you\.\n {2}--action \S+ {2}calculator .*999/,
    );
    expect(unnamed.stderr).toContain(`\nType:\n  glassloop threads decide sums`);
    expect(unnamed.stderr).toContain(` approve --action ${id}\n`);
  });

  test("is decided by one of two processes, and runs once", async () => {
    await using folder = await workingFolder();
    const [step = ""] = squareRootReplies;
    await using model = await scriptedServer([step, { text: final, delayMs: 300 }]);
    const asked = await folder.run(["ask", ...model.options, ...always, "-t", "sums", squareRoot]);
    const options = [...naming(asked.stderr), ...model.options, ...always, "--json"];
    const decide = (words: string[]) => folder.run(["threads", "decide", "sums", ...words, ...options]);
    const both = await Promise.all([decide(["approve"]), decide(["answer", "five"])]);
    const [winner, loser] = both.toSorted((one, other) => Number(one.exitCode) - Number(other.exitCode));
    expect(winner).toMatchObject({ exitCode: 0 });
    expect(loser).toMatchObject({ exitCode: 1 });
    expect(loser?.stderr).toMatch(
      /^error: (The thread "sums" is in use: process \d+ runs it|Another process has gone on with the thread|The thread "sums" does not wait for this decision)/,
    );
    expect(model.server.requests).toHaveLength(2);
  });
});

describe("glassloop threads decide", () => {
  test.for([
    [["approve"], /Observation: 5/],
    [["refuse", "Too", "hard."], /A person refused this call of calculator: Too hard\./],
    [
      ["edit", '{"expression": "36^(1/2)"}'],
      /6\nYou called .*A person changed the input to .*36\^.*The result is for that input\./s,
    ],
    [["answer", "It is five."], /Observation: It is five\./],
  ] as const)("%s is what the model is shown", async ([words, shown]) => {
    await using waiting = await waitingThread(squareRootReplies);
    const result = await waiting.decide(words);
    expect(result).toMatchObject({ exitCode: 0, stdout: "The square root of 25 is 5.\n" });
    expect(waiting.model.server.prompts().at(-1)).toMatch(shown);
  });

  test("decides about one of several calls, and the others still wait", async () => {
    await using waiting = await waitingThread([twoCalls, { text: "Done." }], native);
    const unnamed = await waiting.run(["threads", "decide", "sums", "approve", ...waiting.options]);
    expect(unnamed).toMatchObject({ exitCode: 2 });
    expect(unnamed.stderr).toBe(
      `error: Several calls wait. Name one of these:\n  --action ${waiting.ids[0]}  calculator {"expression":"1+1"}\n` +
        `  --action ${waiting.ids[1]}  calculator {"expression":"2+2"}\n`,
    );
    const part = await waiting.decide(["approve", "--action", waiting.ids[1] ?? "", "--json"]);
    expect(part.exitCode).toBe(3);
    const events = parseEvents(part.stdout);
    expect(events.map(({ type }) => type)).toEqual(["approval", "turn-start", "decision", "approval", "turn-end"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "waiting", waiting: [{ requests: [{ id: waiting.ids[0] }] }] });
    expect(await waiting.decide(["refuse"])).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
  });

  test("takes JSON from a pipe, and names the decisions that were not accepted", async () => {
    await using waiting = await waitingThread([twoCalls, { text: "Done." }], native);
    const [one = "", two = ""] = waiting.ids;
    const part = await waiting.decide([], JSON.stringify({ [one]: "approve", [two]: "aprove", "0a1b2c-1": "approve" }));
    expect(part.exitCode).toBe(3);
    expect(part.stderr).toContain('Not taken: No action with the id "0a1b2c-1" waits for a decision here.');
    expect(part.stderr).toMatch(/Waiting: calculator .*2\+2.*\n {2}Not taken: The decision was not understood/);
    const stale = await waiting.decide([], JSON.stringify({ [two]: { type: "approve", digest: "0123456789abcdef" } }));
    expect(stale.exitCode).toBe(3);
    expect(stale.stderr).toContain("Not taken: The decision was made about another input of this action.");
    expect(await waiting.decide([], JSON.stringify({ [two]: "approve" }))).toMatchObject({ exitCode: 0 });
  });

  let unchanged: Awaited<ReturnType<typeof waitingThread>>;
  beforeAll(async () => {
    unchanged = await waitingThread(squareRootReplies);
  });
  afterAll(() => unchanged[Symbol.asyncDispose]());

  test.for([
    [
      ["approve", "--action", "0a1b2c-1"],
      /^error: No call with the id "0a1b2c-1" waits\. Name one of these:\n {2}--action \S+-1 {2}calculator \{/,
    ],
    [["approve", "please"], /"approve" takes no words, but there are some: please\./],
    [["edit", "12"], /The new input is no JSON object\./],
    [["answer"], /The answer is empty\./],
    [["aprove"], /Allowed choices are approve, edit, refuse, answer/],
    [["--action", "0a1b2c-1"], /--action: give a decision, too/],
    [[], /There is no decision: give one, such as approve, or pipe JSON in, such as \{".*-1":"approve"\}\./],
    [
      ["approve", "--tools", "none"],
      /waits with a call of calculator, and there is no such tool here\. Give the options/,
    ],
    [["approve", "-t", "sums"], /Give the thread's id alone/],
  ] as const)("%s is wrong use, which changes nothing", async ([words, sentence]) => {
    const { exitCode, stderr } = await unchanged.decide(words);
    expect(stderr).toMatch(sentence);
    expect(exitCode).toBe(2);
    expect((await unchanged.run(["threads", "list", "--waiting"])).stdout).toContain(unchanged.ids[0]);
  });

  test("says that nothing waits, on a thread whose turn has ended and on a missing thread", async () => {
    await using waiting = await waitingThread(squareRootReplies);
    await waiting.decide(["approve"]);
    const late = await waiting.decide(["refuse", "--json"]);
    const sentence = 'The thread "sums" does not wait for this decision: its last turn has ended.';
    expect(late).toMatchObject({ exitCode: 1, stderr: `error: ${sentence}\n` });
    expect(JSON.parse(late.stdout)).toMatchObject({ type: "error", message: sentence });
    const unknown = await waiting.run(["threads", "decide", "nobody", "approve", "--model", "offline"]);
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('There is no thread "nobody"') });
    const elsewhere = await waiting.folder.runHere(["threads", "decide", "sums", "approve", "--db", "sqlite:other.db"]);
    expect(elsewhere).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('There is no thread "sums"') });
    expect(await waiting.folder.files()).toEqual(["threads.db"]);
  });
});

test("A question that a tool asks itself is listed, and answered with text or with JSON", async () => {
  await using folder = await workingFolder();
  const url = `sqlite:${folder.path}/threads.db`;
  const ask = (name: string) => tool(() => interrupt("Sure?"), { name, description: "Asks.", schema: z.object({}) });
  await using threads = await openThreads(url);
  for (const name of ["calculator", "other"]) {
    const model = scriptedModel([{ tool_calls: [{ name, args: { expression: "1+1" } }] }]);
    const { checkpointer } = threads;
    const agent = createAgent({ model, tools: [ask(name)], protocol: "tool-calling", checkpointer });
    await agent.invoke({ messages: "Do it." }, { configurable: { thread_id: name } });
  }
  const listed = await runProgram(["threads", "list", "--waiting", "--db", url]);
  expect(listed.stdout).toMatch(
    /^other .*\nWaiting: Sure\?\n {2}Id: \S+\n\ncalculator .*\nWaiting: Sure\?\n {2}Id: \S+\n\n$/,
  );
  expect((await runProgram(["threads", "list", "--db", url])).stdout).toContain("[waiting] Do it.");
  await using server = await scriptedServer([final]);
  const decide = (words: readonly string[], input = "") =>
    runProgram(["threads", "decide", ...words, ...server.options, "--db", url], { input });
  const missing = await decide(["other", "answer", "yes"]);
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("waits with a call of other, and") });
  const wrong = await decide(["calculator", "approve"]);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Give: answer TEXT.") });
  expect((await decide(["calculator"])).stderr).toContain('or pipe JSON in, such as {"');
  expect((await decide(["calculator", "answer", "yes"])).stderr).toMatch(
    /\n {2}--action \S+ {2}a question of a tool\nType:\n {2}glassloop .* --action \S+\n$/,
  );
  const [, id = ""] = naming(listed.stdout.slice(listed.stdout.indexOf("\ncalculator")));
  expect(await decide(["calculator"], JSON.stringify({ [id]: "yes" }))).toMatchObject({
    exitCode: 0,
    stdout: "Done.\n",
  });
});

describe("a waiting call", () => {
  test("is listed by threads list, with and without --waiting, as text and as JSON", async () => {
    await using waiting = await waitingThread([twoCalls, { text: "Done." }], native);
    const { stdout } = await waiting.run(["threads", "list", "--waiting"]);
    expect(stdout).toMatch(
      /^sums {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}What is the square root of 25\?\nWaiting: calculator/,
    );
    expect(stdout.match(/^Waiting: calculator .*\n {2}Why: .*\n {2}Possible: .*\n {2}Id: .*$/gm)).toHaveLength(2);
    const asked = { type: "approval", complaints: [], requests: waiting.ids.map((id) => ({ id, tool: "calculator" })) };
    for (const only of [[], ["--waiting"]]) {
      const json = await waiting.run(["threads", "list", ...only, "--json"]);
      expect(JSON.parse(json.stdout)).toMatchObject({ thread: "sums", waiting: [asked] });
    }
    expect((await waiting.run(["threads", "list", "--waiting", "--limit", "1"])).stderr).toBe("");
    await waiting.decide([], JSON.stringify(Object.fromEntries(waiting.ids.map((id) => [id, "approve"]))));
    const none = await waiting.run(["threads", "list", "--waiting"]);
    expect(none).toEqual({ exitCode: 0, stdout: "", stderr: "No thread waits for a person.\n" });
  });

  test("is named when a person asks another question, resumes, or pipes lines into a chat", async () => {
    await using waiting = await waitingThread([squareRootReplies[0] ?? "", final, squareRootReplies[0] ?? ""]);
    const resumed = await waiting.run(["threads", "resume", "sums", ...waiting.options]);
    const hint = expect.stringMatching(/^Waiting: .*Decide with: glassloop/s);
    expect(resumed).toMatchObject({ exitCode: 3, stderr: hint });
    const other = await waiting.run(["ask", "-t", "sums", ...waiting.options, "Something else?"]);
    expect(other).toMatchObject({ exitCode: 0, stdout: "Done.\n" });
    expect(other.stderr).toContain(
      `waits for a person: "${squareRoot}". Decide: glassloop threads decide sums --db sqlite:${waiting.folder.path}/threads.db --model scripted --base-url ${waiting.model.server.url}`,
    );
    const piped = await runProgram(["chat", ...waiting.options, "--db", "memory:"], { input: "One?\nTwo?\n" });
    expect(piped.exitCode).toBe(3);
    expect(piped.stdout).not.toContain("Two?");
    expect(piped.stderr).toContain("memory: keeps no thread. Give another --db to decide later.");
  });
});
