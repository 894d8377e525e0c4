import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type EmbeddingServer, startEmbeddingServer } from "../../helpers/embedding-server.js";
import type { ServerReply } from "../../helpers/openai-server.js";
import { folderWith, runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { type ScriptedServer, scriptedServer } from "../scripted-server.js";

const env = { OPENAI_API_KEY: "sk-of-the-person" };
/** No word of it stands in the document. The server takes "cars" and "automobile" for the same. */
const question = "Which cars?";
const passage = "car.md\n\nMy automobile is red.";
const search = " I search.\nAction: document_search\nAction Input: Which cars?";
const answer = " I know.\nFinal Answer: A red one [1].";

let folder: WorkingFolder;
let embeddings: EmbeddingServer;
let model: ScriptedServer | undefined;

beforeEach(async () => {
  folder = await workingFolder();
  embeddings = await startEmbeddingServer();
  await mkdir(join(folder.path, "docs"));
  await writeFile(join(folder.path, "docs", "car.md"), "My automobile is red.\n");
});

afterEach(async () => {
  await model?.[Symbol.asyncDispose]();
  model = undefined;
  await embeddings[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function run(args: readonly string[], options?: Parameters<typeof runProgram>[1]) {
  return runProgram([...args, "--db", `sqlite:${folder.path}/threads.db`], options);
}

function atServer(): string[] {
  return ["--embeddings", "openai:words", "--embeddings-url", embeddings.url];
}

/** Asks on the thread "demo", with a chat model at another server. The retrieval agent has a protocol of its own. */
async function begin(replies: readonly ServerReply[], more: readonly string[], isTool = true) {
  model = await scriptedServer(replies);
  const spoken = model.options.slice(0, 4);
  const way = isTool ? ["--protocol", "react", "--tools", "documents"] : ["--retrieval"];
  const docs = join(folder.path, "docs");
  return run(["ask", "-t", "demo", ...spoken, ...way, "--docs", docs, ...more, question], { env });
}

describe("glassloop ask --embeddings", () => {
  const key = "Bearer sk-of-the-person";

  test("finds passages by their meaning, and a later run without the option sends nothing", async () => {
    const first = await begin([search, answer], atServer());
    expect(first.stderr).toContain("My automobile is red.");
    expect(first).toMatchObject({ exitCode: 0, stdout: "A red one [1].\n" });
    expect(embeddings.requests.slice(1)).toEqual([[passage], [question]]);
    expect(new Set(embeddings.keys)).toEqual(new Set([key]));
    await run(["ask", "-t", "demo", "--model", "offline", question], { env });
    expect(embeddings.requests).toHaveLength(3);
  });

  test("finds them with --retrieval, too, and without it by words alone", async () => {
    const found = await begin(["1", "A red one [1]."], atServer(), false);
    expect(found).toMatchObject({ exitCode: 0, stdout: "A red one [1].\n" });
    const count = embeddings.requests.length;
    const again = await run(["ask", "-t", "demo", "--model", "offline", "--embeddings", "", question]);
    expect(again.stdout).toContain("found nothing");
    expect(embeddings.requests).toHaveLength(count);
  });

  test("uses the vectors that docs index has made, with the settings of the environment", async () => {
    const variables = { ...env, GLASSLOOP_EMBEDDINGS: "openai:words", GLASSLOOP_EMBEDDINGS_URL: embeddings.url };
    await run(["docs", "index", join(folder.path, "docs")], { env: variables });
    expect(embeddings.requests).toContainEqual([passage]);
    const count = embeddings.requests.length;
    const docs = ["--docs", join(folder.path, "docs")];
    await run(["ask", "--model", "offline", ...docs, question], { env: variables });
    expect(embeddings.requests.slice(count).flat()).toContain("Which cars");
    expect(embeddings.requests.slice(count)).not.toContainEqual([passage]);
    expect(new Set(embeddings.keys)).toEqual(new Set([key]));
  });

  test("asks no embedding model for other tools", async () => {
    const args = ["ask", "--model", "offline", "--tools", "calculator", "--embeddings", "openai:m", "What is 2 + 2?"];
    expect(await run(args)).toMatchObject({ exitCode: 0, stdout: "2 + 2 is 4.\n" });
  });

  test("needs the address again after a failed turn, and the hint has the address", async () => {
    const { stderr } = await begin([401], atServer());
    expect(stderr).toMatch(new RegExp(`threads resume demo .* --embeddings-url ${embeddings.url}$`, "m"));
  });

  test("sends no key of the environment to the address of .env, and docs index says so", async () => {
    const at = ["--index", join(folder.path, "documents.db"), "--embeddings", "openai:words"];
    const fileInFolder = folderWith({ ".env": `OPENAI_BASE_URL=${embeddings.url}` });
    const { stderr } = await runProgram(["docs", "index", join(folder.path, "docs"), ...at], { env, fileInFolder });
    expect(stderr).toContain(`not sent to ${embeddings.url}, as only .env names it. Add --embeddings-url`);
    expect(new Set(embeddings.keys)).toEqual(new Set(["Bearer none"]));
  });

  test("names a wrong key in the error", async () => {
    const args = ["ask", "--model", "offline", "--embeddings", "openai:m", question];
    const { exitCode, stderr } = await run(args, { env: { OPENAI_API_KEY: "sk-…" } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("error: OPENAI_API_KEY: this key has a character")]);
  });
});
