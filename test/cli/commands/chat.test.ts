import { readFile, stat, writeFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { HistoryFile, historyPath } from "../../../src/cli/chat/history-file.js";
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

  test("answers several lines that were pasted at once", async () => {
    await using chat = await chatWith([final("Four."), "What is five plus five?", final("Ten.")]);
    await chat.enter("What is two plus two?\rWhat is five plus five?", "Answer: Four.", "Answer: Ten.");
    expect(await chat.leave()).toBe(0);
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

  test("clears the line with Ctrl-C, and is left by Ctrl-C twice", async () => {
    await using chat = await chatWith([final("Four.")]);
    await chat.type("What is two plus three\u0003");
    await chat.sees("(Ctrl-C once more leaves.)");
    await chat.enter("What is two plus two?", "Answer: Four.");
    await chat.type("\u0003");
    await chat.type("\u0003");
    expect(await chat.ended).toBe(0);
    expect(chat.model.server.prompts()[0]).not.toContain("two plus three");
  });
});

describe("a chat whose thread is deleted or renamed meanwhile", () => {
  test.for([
    ["deleted", "asks first", ["delete", "sums", "--yes"]],
    ["renamed before the first question", "finds it", ["rename", "sums", "maths"]],
  ] as const)(
    "says so before a model call, and begins a new thread at the next question: %s",
    async ([, when, words]) => {
      await using at = await modelAndDatabase([final("Four."), final("Six.")]);
      const options = [...at.model.options, "-t", "sums"];
      if (when === "finds it") await at.run(["ask", ...options, "What is two plus two?"]);
      const chat = atTerminal(["chat", ...options, ...at.db]);
      if (when === "asks first") await chat.enter("What is two plus two?", "Answer: Four.");
      await chat.sees("> ");
      expect(await at.run(["threads", ...words])).toMatchObject({ exitCode: 0 });
      chat.stdin.write("What is three plus three?\r");
      await chat.sees("> ");
      expect(chat.io.stderr.text).toContain(
        'The thread "sums" was renamed or deleted meanwhile, so this was not asked: ask again to begin a new thread',
      );
      expect(at.model.server.requests).toHaveLength(1);
      chat.stdin.write("\u001b[A\r");
      await chat.sees("Answer: Six.");
      expect(await chat.leave()).toBe(0);
      expect(at.model.server.prompts()[1]).toContain("Question: What is three plus three?");
    },
  );

  test("fails for that line of a pipe, with an event for programs", async () => {
    await using at = await modelAndDatabase([final("Four."), final("Six.")]);
    const options = [...at.model.options, "-t", "sums"];
    await at.run(["ask", ...options, "What is two plus two?"]);
    const stdin = new PassThrough();
    const io = fakeIo({ stdin });
    const ended = main(["chat", ...options, ...at.db, "--json"], io);
    await expect.poll(() => io.stderr.text).toContain("Thread sums, 1 turn so far");
    await at.run(["threads", "delete", "sums", "--yes"]);
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
    ["has keys that would do something", [paste("a\u0003b\u001b[Ac\u0004\u007f"), "\r"], "ab[Ac"],
    ["is typed with \\ at the ends", ["One \\\r", "two \\\r", "three\r"], "One \ntwo \nthree"],
    ["is typed between three quotes", ['"""One\r', "\r", 'two"""\r'], "One\n\ntwo"],
  ])("%s", async ([, keys, question]) => expect(await asked(...keys)).toBe(question));

  test("is given up with Ctrl-C", async () => {
    expect(await asked('"""One\r', "two\r", "\u0003", "Three?\r")).toBe("Three?");
    expect(await asked("One\\\r", "\u0003", "Three?\r")).toBe("Three?");
  });
});

describe("a command of a chat", () => {
  const twoAnswers = [final("Four."), final("Five.")];

  test("is mentioned at the start and shown by /help; one that does not exist is refused, and not sent", async () => {
    await using chat = await chatWith([final("A file.")]);
    await chat.enter("/help");
    for (const name of Object.keys(slashCommands)) await chat.sees(`  /${name}`);
    await chat.enter("/hlp");
    await chat.enter("/constructor x");
    await chat.enter("/etc/hosts is what?", "Answer: A file.");
    await chat.enter("/QUIT");
    expect(await chat.ended).toBe(0);
    const told = stripVTControlCharacters(chat.io.stderr.text);
    expect(told).toContain("Ask something. /help shows the commands");
    expect(told).toContain("There is no command /hlp. Did you mean /help? /help shows the commands.");
    expect(told).toContain("There is no command /constructor. /help shows");
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
    await chat.enter("/edit What is three plus three?", "Answer: Six.");
    await chat.leave();
    expect(chat.io.stderr.text).toMatch(/nothing was asked yet\.\n[\s\S]*Give the new question, such as: \/edit/);
    const [first, second, third] = chat.model.server.prompts();
    expect(second).toBe(first);
    expect(third).toContain("Question: What is three plus three?");
    expect(third).not.toContain("two plus two");
  });

  test("switches to a copy, or to another thread, and back", async () => {
    await using chat = await chatWith([final("Four."), "Five?", final("Five.")], ["-t", "sums"]);
    await chat.enter("/fork");
    await chat.enter("What is two plus two?", "Answer: Four.");
    await chat.enter("/fork copy", "Thread copy, a copy of sums");
    await chat.enter("And two plus three?", "Answer: Five.");
    await chat.enter("/threads", "2 turns  What is two plus two?", "1 turn  What is two plus two?");
    await chat.type("/threads s");
    chat.stdin.write("\t");
    await chat.sees("/threads sums");
    chat.stdin.write("\r");
    await chat.sees("Thread sums: What is two plus two?");
    await chat.enter("/threads none");
    expect(await chat.leave()).toBe(0);
    expect(chat.io.stderr.text).toMatch(/nothing to copy yet[\s\S]*There is no thread "none"/);
  });

  test("changes the model, hides the steps, shows the prompt", async () => {
    await using chat = await chatWith([...squareRootReplies]);
    await chat.enter("/prompt");
    await chat.enter("/steps", "Steps are hidden.");
    await chat.enter(squareRoot, "The square root of 25 is 5.\n");
    await chat.enter("/steps off");
    await chat.enter("/steps", "Steps are shown.");
    await chat.enter("/model", "Model: scripted\n");
    await chat.enter("/model offline", "Model: offline\n");
    await chat.enter("What is 2 + 3?", "Answer: 2 + 3 is 5.");
    await chat.enter("/tools none", "Tools: none\n");
    await chat.enter("/tools hammer");
    await chat.type('/tools ""\r');
    await chat.sees("Tools: calculator, document_search\n");
    await chat.enter("/system You are Ann.", "System: You are Ann.\n");
    await chat.enter("What is 3 + 4?", "Answer: ");
    await chat.enter("/system");
    await chat.enter("/prompt", "Prompt to glassloop-offline-rules", "You are Ann.");
    await chat.type('/system ""\r');
    await chat.sees("System: as usual\n");
    await chat.enter("/save ~/talk.md");
    await chat.enter("/model unknown:x");
    expect(await chat.leave()).toBe(0);
    expect(stripVTControlCharacters(chat.io.stdout.text).split("What is 2 + 3?")[0]).not.toContain("Action:");
    expect(chat.io.stderr.text).toMatch(
      /No model was called in this thread yet[\s\S]*\/steps takes no words[\s\S]*"~\/talk.md" was not[\s\S]*"unknown" is no provider/,
    );
  });

  test("saves the conversation in a new file for its owner", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([...squareRootReplies]);
    const file = `${folder.path}/talk.md`;
    const chat = atTerminal(["chat", ...model.options, ...inMemory], { HOME: folder.path });
    await chat.type(`${squareRoot}\r`);
    await chat.enter("/save");
    await chat.enter("/save ~/talk.md", `Saved in ${file}`);
    await chat.type(`/save "${file}"\r`);
    await chat.type(`/save ${folder.path}/none/talk.md\r`);
    await chat.leave();
    expect(await readFile(file, "utf8")).toBe(`## ${squareRoot}\n\nThe square root of 25 is 5.\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(chat.io.stderr.text).toMatch(
      /Give the name[\s\S]*talk\.md" was not written: it exists already\. Give[\s\S]*its folder does not exist/,
    );
  });
});

describe("the history of chats", () => {
  const up = "\u001b[A";

  test("is recalled with the arrow keys in the next chat, whole, and without answers to interrupts", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer([...squareRootReplies, " Easy.\nFinal Answer: Again."]);
    const options = [...model.options, ...inMemory, "--approve", "always"];
    const env = { HOME: folder.path };
    const first = atTerminal(["chat", ...options], env);
    await first.type(`\u001b[200~${squareRoot}\rPlease.\u001b[201~\r`);
    await first.type("approve\r", "approve, edit, refuse, answer? ");
    await first.sees("Answer: The square root of 25 is 5.");
    await first.type("\u0004");
    await first.ended;
    const file = `${folder.path}/.local/state/glassloop/history`;
    expect(await readFile(file, "utf8")).toBe(`${JSON.stringify(`${squareRoot}\nPlease.`)}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const second = atTerminal(["chat", ...options], env);
    await second.type(`${up}\r`);
    await second.sees("Answer: Again.");
    await second.type("/exit\r");
    await second.ended;
    expect(model.server.prompts().at(-1)).toContain(`${squareRoot}\nPlease.`);
  });

  test("has each entry of this chat once, with all its lines; Ctrl-D at the prompt leaves", async () => {
    const chat = atTerminal(["chat", ...inMemory]);
    await chat.enter("/help");
    for (const _ of ["first", "second"]) {
      await chat.enter("/system You are\\");
      await chat.type("Ann.\r", "… ");
      await chat.sees("System: You are\nAnn.\n");
    }
    await chat.enter(up, "System: You are\nAnn.\n");
    await chat.enter(`${up}${up}`, "/regenerate");
    await chat.type("\u0004");
    expect([await chat.ended, chat.stdin.isRaw]).toEqual([0, false]);
  });

  test("is cut when it is long, and an invalid line does no harm", async () => {
    await using folder = await workingFolder();
    const file = new HistoryFile(`${folder.path}/history`);
    await file.add("first");
    await writeFile(`${folder.path}/history`, `nonsense\n12\n${'"old"\n'.repeat(2_000)}"new"\n`);
    expect((await file.read()).slice(0, 2)).toEqual(["new", "old"]);
    expect((await readFile(`${folder.path}/history`, "utf8")).split("\n")).toHaveLength(1_001);
    await writeFile(`${folder.path}/history`, "nonsense\n12\n");
    expect(await file.read()).toEqual([]);
  });

  test("that cannot be written does not end a chat, and without a home folder is not kept", async () => {
    await using folder = await workingFolder();
    await writeFile(`${folder.path}/file`, "");
    for (const path of [`${folder.path}/file/history`, "/proc/glassloop/history"]) {
      const file = new HistoryFile(path);
      await file.add("first");
      expect(await file.read()).toEqual([]);
    }
    expect(historyPath({})).toBeUndefined();
    expect(historyPath({ XDG_STATE_HOME: "/state", HOME: "/home/ann" })).toBe("/state/glassloop/history");
  });
});
