import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";
import { atTerminal } from "../terminal.js";

const final = (answer: string) => ` Easy.\nFinal Answer: ${answer}`;
const inMemory = ["--db", "memory:"];

describe("glassloop chat with a pipe", () => {
  test("answers line after line on one thread, with the steps", async () => {
    await using model = await scriptedServer([...squareRootReplies, "Is 5 a prime?", final("Yes, 5 is a prime.")]);
    const input = `${squareRoot}\n\n  Is that a prime?  `;
    const { exitCode, stdout } = await runProgram(["chat", ...model.options, ...inMemory], { input });
    expect(stdout.split("\n")).toEqual([
      `> ${squareRoot}`,
      "Thought: I need to use a calculator for this",
      "Action: calculator",
      "Action Input: 25^(1/2)",
      "Observation: 5",
      "Answer: The square root of 25 is 5.",
      "",
      "> Is that a prime?",
      "Question: Is 5 a prime?",
      "Answer: Yes, 5 is a prime.",
      "",
      "",
    ]);
    expect(exitCode).toBe(0);
  });

  test("prints only the answers with --quiet", async () => {
    await using model = await scriptedServer([...squareRootReplies, "Is 5 a prime?", final("Yes.")]);
    const result = await runProgram(["chat", ...model.options, ...inMemory, "--quiet"], {
      input: `${squareRoot}\nIs that a prime?\n`,
    });
    expect(result).toEqual({ exitCode: 0, stdout: "The square root of 25 is 5.\nYes.\n", stderr: "" });
  });

  test("goes on after a turn that failed, and ends with 1", async () => {
    await using model = await scriptedServer([401, final("Four.")]);
    const result = await runProgram(["chat", ...model.options, ...inMemory, "--quiet"], {
      input: "What is two plus two?\nPlease, what is two plus two?\n",
    });
    expect(result).toMatchObject({ exitCode: 1, stdout: "Four.\n" });
    expect(result.stderr).toMatch(/^error: .*\(401\).*\n$/);
  });

  test("prints one JSON object a line with --json, with a start and an end for each turn", async () => {
    await using model = await scriptedServer([401, final("Four.")]);
    const { stdout } = await runProgram(["chat", ...model.options, ...inMemory, "--json", "-t", "sums"], {
      input: "What is two plus two?\nPlease, what is two plus two?\n",
    });
    const events = parseEvents(stdout);
    const ends = events.flatMap((event) => (event.type === "turn-end" ? [event.stopReason] : []));
    expect(ends).toEqual(["failed", "answered"]);
    expect(events.filter((event) => event.type === "turn-start").length).toBe(2);
    expect(new Set(events.map((event) => event.thread))).toEqual(new Set(["sums"]));
  });

  test("ends at a line that says exit", async () => {
    await using model = await scriptedServer([final("Four.")]);
    await runProgram(["chat", ...model.options, ...inMemory], { input: "What is two plus two?\nexit\nMore?\n" });
    expect(model.server.requests.length).toBe(1);
  });

  test("has nothing to do for an empty one", async () => {
    const result = await runProgram(["chat", "--tools", "none", ...inMemory, "--quiet"], { input: "\n" });
    expect(result).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });
});

describe("glassloop chat at a terminal", () => {
  test("prompts, shows the steps and the answer, and prompts again until exit", async () => {
    await using model = await scriptedServer(squareRootReplies);
    const chat = atTerminal(["chat", ...model.options, ...inMemory]);
    await chat.type(`${squareRoot}\r`);
    await chat.sees("Action: calculator");
    await chat.sees("Answer: The square root of 25 is 5.\n");
    await chat.type("exit\r");
    expect(await chat.ended).toBe(0);
  });

  test.for([
    ["my threads.db", "my threads.db"],
    ["Ann's threads.db", "Ann'\\''s threads.db"],
  ])("tells how to come back, in words for a shell where the threads are in %s", async ([file, typed]) => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([final("Four.")]);
    const database = `sqlite:${folder.path}/${file}`;
    const chat = atTerminal(["chat", ...model.options, "--db", database, "-t", "sums"]);
    await chat.type("What is two plus two?\r");
    await chat.type("/quit\r");
    await chat.ended;
    expect(stripVTControlCharacters(chat.io.stderr.text)).toContain(
      `Go on with: glassloop chat --thread sums --db 'sqlite:${folder.path}/${typed}'`,
    );
  });

  test("goes on after a turn that failed, and ends with 0 as the person left", async () => {
    await using model = await scriptedServer([401, final("Four.")]);
    const chat = atTerminal(["chat", ...model.options, ...inMemory]);
    await chat.type("What is two plus two?\r");
    await chat.type("Please, what is two plus two?\r");
    await chat.sees("Answer: Four.");
    await chat.type("exit\r");
    expect(await chat.ended).toBe(0);
    expect(stripVTControlCharacters(chat.io.stderr.text)).toMatch(/^error: .*\(401\)/m);
  });

  test("answers several lines that were pasted at once", async () => {
    await using model = await scriptedServer([final("Four."), "What is five plus five?", final("Ten.")]);
    const chat = atTerminal(["chat", ...model.options, ...inMemory]);
    await chat.type("What is two plus two?\rWhat is five plus five?\r");
    await chat.sees("Answer: Four.");
    await chat.sees("Answer: Ten.");
    await chat.type("exit\r");
    expect(await chat.ended).toBe(0);
  });

  test.for([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("is left by %s at the prompt", async ([, key = ""]) => {
    const chat = atTerminal(["chat", "--tools", "none", ...inMemory]);
    await chat.type(key);
    expect(await chat.ended).toBe(0);
    expect(chat.stdin.isRaw).toBe(false);
  });

  test("lets Ctrl-C be a signal while a turn runs: the keyboard is not in raw mode then", async () => {
    await using model = await scriptedServer([{ text: final("Four."), delayMs: 150 }]);
    const chat = atTerminal(["chat", ...model.options, ...inMemory]);
    await chat.type("What is two plus two?\r");
    await expect.poll(() => model.server.requests.length, { interval: 5 }).toBe(1);
    expect(chat.stdin.isRaw).toBe(false);
    await chat.type("exit\r");
    await chat.ended;
  });
});
