import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readQuestion } from "../../../src/cli/session/read-question.js";
import { startLocalServer } from "../../helpers/local-server.js";
import { fakeIo, runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

let folder: WorkingFolder;
beforeAll(async () => {
  folder = await workingFolder();
  await writeFile(join(folder.path, "notes.md"), "# Notes\nBuy milk.\n");
  await writeFile(join(folder.path, "latin.txt"), Buffer.from([0x63, 0xe9]));
  await writeFile(join(folder.path, "zeros.bin"), Buffer.alloc(10));
  await writeFile(join(folder.path, "large.txt"), Buffer.alloc(10_000_001, "a"));
  await writeFile(join(folder.path, "large.png"), Buffer.alloc(20_000_001, "\x89PNG", "latin1"));
  await writeFile(join(folder.path, "most.png"), Buffer.alloc(17_000_000, "\x89PNG", "latin1"));
  await mkdir(join(folder.path, "folder"));
});
afterAll(() => folder[Symbol.asyncDispose]());

const readWhole = (words: string[], piped: string | Buffer[] = "", files: string[] = []) =>
  readQuestion(
    words,
    files.map((name) => join(folder.path, name)),
    fakeIo({ stdin: Readable.from(piped) }),
  );
const read = async (...given: Parameters<typeof readWhole>) => (await readWhole(...given)).asked;

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

  test("as a person's words, except a pipe beside words and files, which count as text from outside", async () => {
    const path = join(folder.path, "notes.md");
    const outside = async (...given: Parameters<typeof readWhole>) =>
      (await readWhole(...given)).message?.response_metadata.outside;
    expect(await outside(["What", "is", "it?"])).toBeUndefined();
    expect(await outside([], "What is it?")).toBeUndefined();
    expect(await outside(["-"], "What is it?")).toBeUndefined();
    expect(await outside(["Summarise this"], "A text.")).toEqual([{ source: "a pipe" }]);
    expect(await outside(["What is", "-", "?"], "A text.", ["notes.md"])).toEqual([
      { source: "a pipe" },
      { source: path },
    ]);
    expect((await readWhole(["What is missing?"], "", ["notes.md"])).message?.content).toContain("Buy milk.");
  });

  test("with files, each with its name, in their order", async () => {
    const question = await read(["What is missing?"], "piped", ["notes.md", "notes.md"]);
    const path = join(folder.path, "notes.md");
    const notes = `${path}:\n# Notes\nBuy milk.`;
    expect(question).toBe(`What is missing?\n\npiped\n\n${notes}\n\n${notes}`);
  });

  test.for<[name: string, beginning: string, block: object]>([
    ["cat.png", "\x89PNG\r\n", { type: "image", mimeType: "image/png" }],
    ["cat.txt", "\xff\xd8\xff\xe0", { type: "image", mimeType: "image/jpeg" }],
    ["cat.gif", "GIF89a\0\xff", { type: "image", mimeType: "image/gif" }],
    ["cat.webp", "RIFF\n\0\0\0WEBPVP8 ", { type: "image", mimeType: "image/webp" }],
    ["cat.pdf", "%PDF-1.4\n1 0 obj", { type: "file", mimeType: "application/pdf" }],
    ["meow.wav", "RIFF\n\0\0\0WAVEfmt ", { type: "audio", mimeType: "audio/wav" }],
    ["meow.mp3", "ID3\x03\0", { type: "audio", mimeType: "audio/mpeg" }],
    ["meow", "\xff\xfb\x90", { type: "audio", mimeType: "audio/mpeg" }],
    ["meow.ogg", "OggS\0", { type: "audio", mimeType: "audio/ogg" }],
    ["meow.flac", "fLaC\0", { type: "audio", mimeType: "audio/flac" }],
  ])(
    "with %s, recognised by its first bytes, as a content block beside the words",
    async ([name, beginning, block]) => {
      const bytes = Buffer.from(beginning, "latin1");
      await writeFile(join(folder.path, name), bytes);
      const { asked, message } = await readWhole(["What", "is it?"], "", [name, "notes.md"]);
      const words = `What is it?\n\n${join(folder.path, "notes.md")}:\n# Notes\nBuy milk.`;
      const file = { ...block, data: bytes.toString("base64"), metadata: { name } };
      expect(message?.content).toEqual([{ type: "text", text: words }, file]);
      expect(asked.slice(words.length)).toMatch(new RegExp(`^\n\\[an? .*, ${name}, .*, ${bytes.length} bytes\\]$`));
    },
  );

  test("with a text that begins like a recording, as a text", async () => {
    await writeFile(join(folder.path, "tags.txt"), "ID3 tags");
    expect(await readWhole([], "", ["tags.txt"])).toMatchObject({
      asked: `${join(folder.path, "tags.txt")}:\nID3 tags`,
    });
  });

  test("without files whose total size is too large", async () => {
    const paths = ["most.png", "most.png"].flatMap((name) => ["-f", join(folder.path, name)]);
    const { exitCode, stderr } = await runProgram(["ask", "--db", "memory:", ...paths, "What is it?"]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("have 34.0 MB; at most 32.0 MB can be sent")]);
  });

  test("whole, although a pipe splits a character", async () => {
    const bytes = [...Buffer.from("Zürich 💥")].map((byte) => Buffer.from([byte]));
    expect(await read(["-"], bytes)).toBe("Zürich 💥");
  });

  test.for<[name: string, sentence: string]>([
    ["nowhere.txt", "is not there. Give the path of a file."],
    ["notes.md/x", "is not there."],
    ["folder", "is a folder. Give a file."],
    ["latin.txt", "is neither a text in UTF-8, nor a picture (PNG, JPEG, GIF, WebP), a recording (MP3, WAV,"],
    ["zeros.bin", "is neither a text in UTF-8, nor a picture"],
    ["large.txt", "has more than 10 MB. Give a part of it."],
    ["large.png", "has more than 20 MB. Give a part of it."],
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
    expect((await question).asked).toBe("Translate\n\nthe answer");
  });

  test("is ignored after a second if a program left a socket open, unless the question is a dash or has no words", async () => {
    await using server = await startLocalServer(() => {});
    const socket = connect(server.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    const fd = Reflect.get(Reflect.get(socket, "_handle"), "fd");
    const { io } = silent(fd);
    const question = readQuestion(["What is 2 + 2?"], [], io);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await question).asked).toBe("What is 2 + 2?");
    const { stdin, io: awaited } = silent(fd);
    const dashed = readQuestion(["Is", "-", "right?"], [], awaited);
    await vi.advanceTimersByTimeAsync(10_000);
    stdin.end("it");
    expect((await dashed).asked).toBe("Is it right?");
  });
});

describe("glassloop", () => {
  test.for<[words: string[], input: string]>([
    [["--quiet", "What is", "2 + 2?"], ""],
    [["ask", "-q"], "What is 2 + 2?\n"],
  ])("asks %j with the pipe %j", async ([words, input]) => {
    const { exitCode, stdout } = await runProgram(words, { input, env: { GLASSLOOP_DB: "memory:" } });
    expect([exitCode, stdout]).toEqual([0, "2 + 2 is 4.\n"]);
  });

  test.for([["list"], ["thraeds", "list"]])("does not ask %j, which may be a misspelt command", async (words) => {
    const { exitCode, stderr } = await runProgram([...words], { env: { GLASSLOOP_DB: "memory:" } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("unknown command")]);
  });
});
