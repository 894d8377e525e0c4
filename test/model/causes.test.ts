import { readFileSync } from "node:fs";
import { AIMessageChunk } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { causeOf, fits } from "../../src/model/cause-of.js";
import { readFailure } from "../../src/model/failure.js";
import { toModelError } from "../../src/model/model-errors.js";
import { causes } from "../../src/model/tables/causes.js";
import { refusedParts } from "../../src/model/tables/refused-parts.js";

const exampleSchema = z.object({
  by: z.string(),
  status: z.number().optional(),
  code: z.string().optional(),
  name: z.string().default("Error"),
  words: z.string(),
  /** A package says it: there is no body. */
  bare: z.boolean().default(false),
  kind: z.string(),
  refuses: z.array(z.string()),
});

/** What servers and packages say, and what it means. */
const examples = readFileSync(new URL("../fixtures/failures.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => exampleSchema.parse(JSON.parse(line)));

const thrown = ({ status, code, name, words, bare }: (typeof examples)[number]) =>
  Object.assign(new Error(words), { name, status, ...(bare ? { code } : { error: { message: words, type: code } }) });

const place = { server: "The model's server", variable: "KEY" };

it.each(examples)("$by: $words", (example) => {
  const error = causeOf(thrown(example), place);
  expect({ kind: error?.kind, refuses: error?.refuses }).toEqual({ kind: example.kind, refuses: example.refuses });
});

it("each row of the tables has an example", () => {
  const failures = examples.map((example) => readFailure(thrown(example)));
  const firsts = failures.map((failure) => causes.find((row) => fits(row, failure)));
  expect(causes.filter((row) => !firsts.includes(row))).toEqual([]);
  expect(refusedParts.filter(([, , words]) => !failures.some((failure) => words.test(failure.words)))).toEqual([]);
  expect(new Set(examples.filter(({ kind }) => kind === "too-long").map(({ by }) => by)).size).toBeGreaterThan(19);
});

it("an unknown error, and an abort, stay unchanged", () => {
  for (const error of [new Error("Cannot read properties of null"), new DOMException("Stopped", "AbortError")]) {
    expect(toModelError(error)).toBe(error);
  }
});

it("the status and the body may be in the error below", () => {
  const below = Object.assign(new Error("400 Too much"), { status: 400, error: { message: "Too much" } });
  const error = toModelError(Object.assign(new Error("Overflow", { cause: below }), { name: "ContextOverflowError" }));
  expect(error).toMatchObject({ kind: "too-long", status: 400, message: expect.stringContaining("(400): Too much.") });
});

class Ollama extends FakeListChatModel {
  baseUrl = "http://127.0.0.1:11434";
  client = { chat: async () => this.pieces() };

  async *pieces() {
    yield "Half";
    throw new Error("runner died");
  }

  override _llmType() {
    return "ollama";
  }

  override async *_streamResponseChunks() {
    for await (const text of await this.client.chat()) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
    }
  }
}

it("an error in a stream of Ollama's package is one of its server, and one of a hook is not", async () => {
  const failed = createAgent({ model: new Ollama({ responses: [] }) }).invoke({ messages: "Hi" });
  await expect(failed).rejects.toMatchObject({
    kind: "server",
    problem: "The model's server at http://127.0.0.1:11434 failed: runner died.",
  });
  const mistake = new Error("my own");
  const middleware = [{ name: "broken", wrapModelCall: () => Promise.reject(mistake) }];
  const broken = createAgent({ model: new Ollama({ responses: [] }), middleware }).invoke({ messages: "Hi" });
  await expect(broken).rejects.toBe(mistake);
});
