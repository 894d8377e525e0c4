import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOpenAIServer } from "../../helpers/openai-server.js";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { atTerminal } from "../terminal.js";

const bytes = Buffer.alloc(24_000, "\x89PNG", "latin1");
const data = bytes.toString("base64");
const named = "[an image, my cat.png, image/png, 24 KB]";

let folder: WorkingFolder;
let picture: string;
beforeAll(async () => {
  folder = await workingFolder();
  picture = join(folder.path, "my cat.png");
  await writeFile(picture, bytes);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** A model that takes pictures. `sent` has the blocks of each request that are no text. */
async function seeingModel(...answers: readonly string[]) {
  const server = await startOpenAIServer(answers);
  const blocks = (content: unknown): { type: string }[] => (Array.isArray(content) ? content : []);
  return {
    sent: () =>
      server.requests.map(({ body }) =>
        body.messages.flatMap(({ content }) => blocks(content).filter(({ type }) => type !== "text")),
      ),
    texts: () => server.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)?.content)),
    options: ["--model", "local", "--base-url", server.url, "--protocol", "tool-calling", "--tools", "none"],
    [Symbol.asyncDispose]: () => server.close(),
  };
}
const image = { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } };

describe("a picture given with ask --file", () => {
  test("goes to the model, and is named wherever people see the question", async () => {
    await using model = await seeingModel("A cat.", "Grey.");
    const db = ["--db", `sqlite:${folder.path}/named.db`];
    const given = ["ask", ...model.options, ...db, "-t", "cat", "-f", picture];
    const first = await runProgram([...given, "--verbose", "What is it?"]);
    expect([first.exitCode, first.stdout]).toEqual([0, "A cat.\n"]);
    expect(first.stderr).toContain("Prompt to local:\nWhat is it?\n[an image, image/png, 24 KB]\n");
    const second = await runProgram([...given, "--json"], { input: "And this?" });
    expect(parseEvents(second.stdout)[0]).toMatchObject({ type: "turn-start", asked: `And this?\n${named}` });
    expect(model.sent()).toEqual([[image], [image, image]]);

    const shown = async (...words: string[]) => (await runProgram(["threads", ...words, ...db])).stdout;
    const ways = ["list", "list --json", "show cat", "show cat --json", "show cat --html -"];
    const screens = await Promise.all([...ways.map((way) => shown(...way.split(" "))), shown("search", "my cat.png")]);
    for (const screen of screens) expect(screen).toContain(named);
    const prompts = await shown("show", "cat", "--prompts");
    expect(prompts).toContain("[human] And this?\n[an image, image/png, 24 KB]\n");
    for (const screen of [first.stderr, second.stdout, prompts, ...screens]) {
      expect(screen).not.toContain(data.slice(0, 40));
    }
  });

  test("stands once in the export of its thread, and goes along when the thread is copied", async () => {
    await using model = await seeingModel("A cat.", "Grey.");
    const [db, other] = [`sqlite:${folder.path}/one.db`, `sqlite:${folder.path}/other.db`];
    const given = ["ask", ...model.options, "-t", "cat"];
    await runProgram([...given, "--db", db, "-f", picture, "What is it?"]);
    const { stdout } = await runProgram(["threads", "export", "cat", "--db", db]);
    expect(stdout.split(data)).toHaveLength(2);
    await runProgram(["threads", "copy", "cat", "--db", db, "--to", other]);
    await runProgram([...given, "--db", other, "Which colour?"]);
    expect(model.sent()).toEqual([[image], [image]]);
  });

  test("is kept once, although another turn follows", async () => {
    await using model = await seeingModel("A cat.", "Grey.");
    const large = join(folder.path, "large.png");
    await writeFile(large, Buffer.alloc(1_000_000, "\x89PNG", "latin1"));
    const file = `${folder.path}/once.db`;
    const given = ["ask", ...model.options, "--db", `sqlite:${file}`, "-t", "cat"];
    await runProgram([...given, "-f", large, "What is it?"]);
    await runProgram([...given, "Which colour?"]);
    expect(model.sent().map(({ length }) => length)).toEqual([1, 1]);
    expect((await stat(file)).size).toBeLessThan(1_700_000);
  });

  test("is described in words for the offline rules, with a note", async () => {
    const given = ["ask", "--db", "memory:", "--model", "offline", "--show", "answer", "-f", picture, "What is it?"];
    const { exitCode, stderr } = await runProgram(given);
    expect(exitCode).toBe(0);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      "Note: The model is only told what the files are. glassloop-offline-rules takes no image in a question.",
    );
  });
});

describe("the path of a picture, entered in a chat as a line of its own", () => {
  const inChat = (model: { options: readonly string[] }) =>
    atTerminal(["chat", ...model.options, "--db", "memory:"], { HOME: folder.path });

  test("attaches it to the next question alone: as it is, as a shell escapes or quotes it, or below the home", async () => {
    await using model = await seeingModel("A cat.", "Hello.");
    const chat = inChat(model);
    const escaped = picture.replaceAll(" ", "\\ ");
    const forms = [picture, escaped, `'${picture}' `, `"${picture}"`, "~/my cat.png"];
    const attached = forms.map((_, n) => `${`${named}\n`.repeat(n)}${named}`);
    for (const [n, form] of forms.entries())
      await chat.enter(form, `The next line asks about:\n${attached[n]}\nAn empty`);
    await chat.enter("What is it?", "A cat.");
    await chat.enter("Hi", "Hello.");
    await chat.enter("/save ~/talk.md", "Saved in");
    expect(await chat.leave()).toBe(0);
    const images = forms.map(() => image);
    expect(model.sent()).toEqual([images, images]);
    expect(model.texts()[1]).toBe('"Hi"');
    const saved = await readFile(`${folder.path}/talk.md`, "utf8");
    expect(saved).toBe(`## What is it?\n${attached.at(-1)}\n\nA cat.\n\n## Hi\n\nHello.\n`);
    expect(chat.io.stdout.text).not.toContain(data.slice(0, 40));
  });

  test("is removed by an empty line, and a file that is too large is refused", async () => {
    await using model = await seeingModel("Hello.");
    await writeFile(join(folder.path, "huge.png"), Buffer.alloc(20_000_001, "\x89PNG", "latin1"));
    const chat = inChat(model);
    await chat.enter(picture, `The next line asks about:\n${named}\nAn empty line takes it back.`);
    await chat.enter("", "The next question has no files.");
    await chat.enter("~/huge.png");
    await chat.enter("Hi", "Hello.");
    expect(await chat.leave()).toBe(0);
    expect(model.sent()).toEqual([[]]);
    expect(stripVTControlCharacters(chat.io.stderr.text)).toContain("huge.png has more than 20 MB.");
  });

  test("is a question like any other if the file is a text, a folder, or not there, and in a pipe", async () => {
    await writeFile(join(folder.path, "notes.md"), "Buy milk.");
    const lines = [join(folder.path, "notes.md"), folder.path, join(folder.path, "none.png")];
    await using model = await seeingModel("1.", "2.", "3.", "4.");
    const chat = inChat(model);
    for (const [n, line] of lines.entries()) {
      await chat.enter(line, `${n + 1}.`);
    }
    await chat.leave();
    await runProgram(["chat", ...model.options, "--db", "memory:"], { input: `${picture}\n` });
    expect(model.texts()).toEqual([...lines, picture].map((line) => JSON.stringify(line)));
  });
});
