import { readFile, stat } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { slashCommands } from "../../../src/cli/chat/slash-commands.js";
import { main } from "../../../src/cli/main.js";
import { held } from "../../helpers/held.js";
import { parseEvents } from "../events.js";
import { fakeIo, runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { modelAndDatabase, scriptedServer, squareRoot, squareRootReplies } from "../scripted-server.js";
import { atTerminal, chatWith } from "../terminal.js";

const final = (answer: string) => ` Easy.\nFinal Answer: ${answer}`;
const inMemory = ["--db", "memory:"];

describe("glassloop chat with a pipe", () => {
  test("answers line after line on one thread, with the steps, up to a line that says exit", async () => {
    await using model = await scriptedServer([...squareRootReplies, "Is 5 a prime?", final("Yes, 5 is a prime.")]);
    const input = `${squareRoot}\n\n  Is that a prime?  \nexit\nMore?\n`;
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
    expect([exitCode, model.server.requests.length]).toEqual([0, 4]);
  });

  test("goes on after a turn that failed, prints only the answers with --quiet, and ends with 1", async () => {
    await using model = await scriptedServer([401, ...squareRootReplies]);
    const result = await runProgram(["chat", ...model.options, ...inMemory, "--quiet"], {
      input: `What is two plus two?\n${squareRoot}\n`,
    });
    expect(result).toMatchObject({ exitCode: 1, stdout: "The square root of 25 is 5.\n" });
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
});

describe("glassloop chat at a terminal", () => {
  test("shows the steps and the answer, goes on after a turn that failed, and ends with 0 as the person left", async () => {
    await using chat = await chatWith([401, ...squareRootReplies]);
    await chat.enter("What is two plus two?");
    await chat.enter(squareRoot, "Action: calculator", "Answer: The square root of 25 is 5.\n");
    await chat.enter("exit");
    expect(await chat.ended).toBe(0);
    expect(stripVTControlCharacters(chat.io.stderr.text)).toMatch(/^error: .*\(401\)/m);
  });

  test("gets Ctrl-C as a signal during a turn: the terminal is not in raw mode then", async () => {
    const { hold, release } = held();
    await using chat = await chatWith([{ text: final("Four."), hold }]);
    await chat.enter("What is two plus two?");
    await expect.poll(() => chat.model.server.requests.length, { interval: 5 }).toBe(1);
    expect(chat.stdin.isRaw).toBe(false);
    release();
    await chat.leave();
  });

  test("clears the line with Ctrl-C, and is left by Ctrl-C in an empty line", async () => {
    await using chat = await chatWith([final("Four.")]);
    await chat.type("What is two plus three\u0003");
    await chat.enter("What is two plus two?", "Answer: Four.");
    await chat.type("\u0003");
    expect(await chat.ended).toBe(0);
    expect(chat.model.server.prompts()[0]).not.toContain("two plus three");
  });
});

describe("a chat whose thread is removed meanwhile", () => {
  test("says so before a model call, and begins a new thread at the next question", async () => {
    await using at = await modelAndDatabase([final("Four."), final("Six.")]);
    const chat = atTerminal(["chat", ...at.model.options, "-t", "sums", ...at.db]);
    await chat.enter("What is two plus two?", "Answer: Four.");
    await chat.sees("> ");
    expect(await at.run(["threads", "remove", "sums", "--yes"])).toMatchObject({ exitCode: 0 });
    chat.stdin.write("What is three plus three?\r");
    await chat.sees("> ");
    expect(chat.io.stderr.text).toContain('The thread "sums" was removed meanwhile, so this was not asked: ask again');
    expect(at.model.server.requests).toHaveLength(1);
    chat.stdin.write("\u001b[A\r");
    await chat.sees("Answer: Six.");
    expect(await chat.leave()).toBe(0);
    expect(at.model.server.prompts()[1]).toContain("Question: What is three plus three?");
  });

  test("fails for that line of a pipe, with an event for programs", async () => {
    await using at = await modelAndDatabase([final("Four."), final("Six.")]);
    const options = [...at.model.options, "-t", "sums"];
    await at.run(["ask", ...options, "What is two plus two?"]);
    const stdin = new PassThrough();
    const io = fakeIo({ stdin });
    const ended = main(["chat", ...options, ...at.db, "--json"], io);
    await expect.poll(() => io.stderr.text).toContain("Thread sums, 1 turn so far");
    await at.run(["threads", "remove", "sums", "--yes"]);
    stdin.end("What is four plus four?\nWhat is three plus three?\n");
    expect(await ended).toBe(1);
    const [first, ...rest] = parseEvents(io.stdout.text);
    expect(first).toMatchObject({ type: "error", name: "GlassloopError", code: "lost-thread", thread: "sums" });
    expect(rest.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
    expect(at.model.server.requests).toHaveLength(2);
  });
});

describe("an entry of several lines", () => {
  const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

  /** Enters keys, in pieces. Returns the question that the model got. */
  async function asked(...pieces: readonly string[]): Promise<string | undefined> {
    await using chat = await chatWith([final("Yes.")]);
    await chat.sees("> ");
    for (const piece of pieces) {
      chat.stdin.write(piece);
      await new Promise(setImmediate);
    }
    await chat.sees("Answer: Yes.");
    await chat.leave();
    return chat.model.server.prompts()[0]?.split("Question: ").at(-1)?.split("\nThought:")[0];
  }

  test.for<[string, string[], string]>([
    ["is pasted", [paste("One\r\ttwo?\r\nThree\n"), "\r"], "One\n\ttwo?\nThree"],
    ["is pasted between typed words", ["a ", paste("b\rc"), " d\r"], "a b\nc d"],
    ["comes in pieces", ["\u001b[20", "0~O", "ne\rtw", "o\u001b[", "201", "~\r"], "One\ntwo"],
    ["comes at once, without the marks of a paste", ["One\rtwo\rthree\r"], "One\ntwo\nthree"],
    ["is typed with \\ at the ends", ["One \\\r", "two \\\r", "three\r"], "One \ntwo \nthree"],
    ["is given up with Ctrl-C", ["One\\\r", "two", "\u0003", "Three?\r"], "Three?"],
  ])("%s", async ([, keys, question]) => expect(await asked(...keys)).toBe(question));
});

describe("a command of a chat", () => {
  const twoAnswers = [final("Four."), final("Five.")];

  test("is mentioned at the start and shown by /help; one that does not exist is refused, and not sent", async () => {
    await using chat = await chatWith([final("A file.")]);
    await chat.enter("/help");
    for (const { usage } of Object.values(slashCommands)) await chat.sees(`  ${usage}`);
    await chat.enter("/hlp");
    await chat.enter("/constructor x");
    await chat.enter("/etc/hosts is what?", "Answer: A file.");
    await chat.enter("/EXIT");
    expect(await chat.ended).toBe(0);
    const told = stripVTControlCharacters(chat.io.stderr.text);
    expect(told).toContain("Ask something. /help shows the commands");
    expect(told).toContain("There is no command /hlp. Did you mean help?");
    expect(told).toContain("There is no command /constructor. Possible are: help, regenerate, edit, exit. To ask");
    expect(chat.model.server.requests).toHaveLength(1);
  });

  test("in a pipe is refused, too, with the exit code of a failure", async () => {
    await using model = await scriptedServer([final("Four.")]);
    const input = "/unknown\n What is two plus two?\n/exit\nMore?\n";
    const result = await runProgram(["chat", ...model.options, ...inMemory, "-q"], { input });
    expect(result).toMatchObject({ exitCode: 1, stdout: "Four.\n" });
    expect(model.server.requests).toHaveLength(1);
  });

  test("answers the last question again, or another in its place", async () => {
    await using chat = await chatWith([...twoAnswers, final("Six.")]);
    await chat.enter("/regenerate");
    await chat.enter("What is two plus two?", "Answer: Four.");
    await chat.enter("/regenerate", "Answer: Five.");
    await chat.enter("/edit");
    await chat.type("\u007f\u007f\u007f\u007fthree?\r", "Question: What is two plus two?");
    await chat.sees("Answer: Six.");
    await chat.leave();
    expect(chat.io.stderr.text).toMatch(/nothing was asked yet\.\n/);
    const [first, second, third] = chat.model.server.prompts();
    expect(second).toBe(first);
    expect(third).toContain("Question: What is two plus three?");
    expect(third).not.toContain("two plus two");
  });
});

describe("the history of chats", () => {
  const up = "\u001b[A";

  test("is recalled with the arrow keys in the next chat, without answers to interrupts, from a file for its owner", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([...squareRootReplies, " Easy.\nFinal Answer: Again."]);
    const options = [...model.options, ...inMemory, "--approve", "always"];
    const env = { HOME: folder.path };
    const first = atTerminal(["chat", ...options], env);
    await first.type(`${squareRoot}\r`);
    await first.type("approve\r", "approve, edit, refuse, answer? ");
    await first.sees("Answer: The square root of 25 is 5.");
    await first.type("\u0004");
    expect([await first.ended, first.stdin.isRaw]).toEqual([0, false]);
    const file = `${folder.path}/.local/state/glassloop/history`;
    expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual([squareRoot, 0o600]);
    const second = atTerminal(["chat", ...options], env);
    await second.type(`${up}\r`);
    await second.sees("Answer: Again.");
    await second.type("/exit\r");
    await second.ended;
    expect(model.server.prompts().at(-1)).toContain(squareRoot);
  });

  test("that cannot be written does not end a chat", async () => {
    const chat = atTerminal(["chat", ...inMemory], { HOME: "/proc" });
    await chat.enter("/help", "/regenerate");
    expect(await chat.leave()).toBe(0);
  });
});
