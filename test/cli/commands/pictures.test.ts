import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOpenAIServer } from "../../helpers/openai-server.js";
import { parseEvents } from "../events.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

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
    const screens = await Promise.all([
      ...ways.map((way) => shown(...way.split(" "))),
      shown("list", "--search", "my cat.png"),
    ]);
    for (const screen of screens) expect(screen).toContain(named);
    const prompts = await shown("show", "cat", "--prompts");
    expect(prompts).toContain("[human] And this?\n[an image, image/png, 24 KB]\n");
    for (const screen of [first.stderr, second.stdout, prompts, ...screens]) {
      expect(screen).not.toContain(data.slice(0, 40));
    }
  });

  test("goes along when its thread is copied", async () => {
    await using model = await seeingModel("A cat.", "Grey.");
    const [db, other] = [`sqlite:${folder.path}/one.db`, `sqlite:${folder.path}/other.db`];
    const given = ["ask", ...model.options, "-t", "cat"];
    await runProgram([...given, "--db", db, "-f", picture, "What is it?"]);
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
