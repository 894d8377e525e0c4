import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readQuestion } from "../../../src/cli/session/read-question.js";
import { fakeIo, runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

let folder: WorkingFolder;
beforeAll(async () => {
  folder = await workingFolder();
  await writeFile(join(folder.path, "notes.md"), "# Notes\nBuy milk.\n");
  await writeFile(join(folder.path, "latin.txt"), Buffer.from([0x63, 0xe9]));
  await writeFile(join(folder.path, "zeros.bin"), Buffer.alloc(10));
  await writeFile(join(folder.path, "large.txt"), Buffer.alloc(10_000_001, "a"));
  await mkdir(join(folder.path, "folder"));
});
afterAll(() => folder[Symbol.asyncDispose]());

const read = (words: string[], piped: string | Buffer[] = "", files: string[] = []) =>
  readQuestion(
    words,
    files.map((name) => join(folder.path, name)),
    fakeIo({ stdin: Readable.from(piped) }),
  );

describe("a question is read", () => {
  test.for<[words: string[], piped: string, question: string]>([
    [["What", "is", "it?"], "", "What is it?"],
    [["Summarise this"], "A long text.\n", "Summarise this\n\nA long text."],
    [[], "What is it?\n", "What is it?"],
    [["-"], "What is it?\n", "What is it?"],
    [["Is", "-", "right?"], "2 + 2", "Is 2 + 2 right?"],
  ])("of the words %j and the pipe %j", async ([words, piped, question]) => {
    expect(await read(words, piped)).toBe(question);
  });

  test("with files, each with its name, in their order", async () => {
    const question = await read(["What is missing?"], "piped", ["notes.md", "notes.md"]);
    const path = join(folder.path, "notes.md");
    const notes = `${path}:\n# Notes\nBuy milk.`;
    expect(question).toBe(`What is missing?\n\npiped\n\n${notes}\n\n${notes}`);
  });

  test("whole, though a pipe cuts it in the middle of a letter", async () => {
    const bytes = Buffer.from("Zürich 💥");
    expect(
      await read(
        ["-"],
        [...bytes].map((byte) => Buffer.from([byte])),
      ),
    ).toBe("Zürich 💥");
  });

  test.for<[name: string, sentence: string]>([
    ["nowhere.txt", "is not there. Give the path of a text file."],
    ["notes.md/x", "is not there."],
    ["folder", "is a folder. Give a text file."],
    ["latin.txt", "is no text in UTF-8. Give a text file."],
    ["zeros.bin", "is no text in UTF-8. Give a text file."],
    ["large.txt", "has more than 10 MB. Give a part of it."],
  ])("without %s, and the error says why", async ([name, sentence]) => {
    const path = join(folder.path, name);
    const { exitCode, stdout, stderr } = await runProgram(["ask", "--db", "memory:", "-f", path, "What is it?"]);
    expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(`error: --file: ${path} ${sentence}`)]);
  });

  test("without a pipe that holds no text, or too much", async () => {
    await expect(read(["x"], [Buffer.from([0xff])])).rejects.toThrow("What is piped in is no text in UTF-8");
    await expect(read(["x"], [Buffer.alloc(10_000_001, "a")])).rejects.toThrow("What is piped in has more than 10 MB");
  });
});

describe("a silent stdin", () => {
  function silent(fd?: number) {
    const stdin = Object.assign(new PassThrough(), fd === undefined ? {} : { fd });
    const io = fakeIo({ stdin });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    return { stdin, io };
  }

  test("is waited for, with a note, as a slow program may still write to it", async () => {
    const { stdin, io } = silent();
    const question = readQuestion(["Translate"], [], io);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(io.stderr.text).toBe(
      "Reading stdin to its end. If nothing comes, end it with Ctrl-D, or add </dev/null to the command.\n",
    );
    stdin.end("the answer");
    expect(await question).toBe("Translate\n\nthe answer");
  });

  test("is left after a second if a program left its socket open, unless a dash or no words wait for it", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const address = server.address();
    const { connect } = await import("node:net");
    const socket: Socket = connect(typeof address === "object" && address ? address.port : 0, "127.0.0.1");
    onTestFinished(() => {
      socket.destroy();
      server.close();
    });
    await new Promise((connected) => socket.once("connect", connected));
    const fd = Reflect.get(Reflect.get(socket, "_handle"), "fd");
    const { io } = silent(fd);
    const question = readQuestion(["What is 2 + 2?"], [], io);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await question).toBe("What is 2 + 2?");
    const { stdin, io: awaited } = silent(fd);
    const dashed = readQuestion(["Is", "-", "right?"], [], awaited);
    await vi.advanceTimersByTimeAsync(10_000);
    stdin.end("it");
    expect(await dashed).toBe("Is it right?");
  });
});

describe("glassloop", () => {
  test.for([["What is 2 + 2?"], ["--quiet", "What is 2 + 2?"], ["What is", "2 + 2?"]])("%j asks", async (words) => {
    const { exitCode, stdout } = await runProgram([...words], { env: { GLASSLOOP_DB: "memory:" } });
    expect([exitCode, stdout]).toEqual([0, "2 + 2 is 4.\n"]);
  });

  test.for([["list"], ["list", "threads"], ["resume", "demo"], ["thraeds", "list"]])(
    "%j is no question, as it may be a misspelt command",
    async (words) => {
      const { exitCode, stderr } = await runProgram([...words], { env: { GLASSLOOP_DB: "memory:" } });
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("unknown command")]);
    },
  );
});
