import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const source = fileURLToPath(new URL("../../src", import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));

/** The code of a file without its comments. */
function codeOf(file: string): string {
  const text = readFileSync(join(source, file), "utf8");
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

const code = new Map(files.map((file) => [file, codeOf(file)]));

/** What LangGraph and LangChain do not promise, and the files outside of `src/langgraph/` that may know it. */
const doors: Readonly<Record<string, readonly [pattern: RegExp, ...others: string[]]>> = {
  "methods of a graph that are replaced": [/Reflect\.apply\((?:stream|invoke|transform|withConfig)\b/],
  "keys of a node's config": [/__pregel_/],
  "fields of a scratchpad": [/\b(?:nullResume|consumeNullResume|interruptCounter|subgraphCounter)\b/],
  "channels that make nodes run": [/"__start__"|branch:to:/],
  "the parts of checkpoint_ns": [/checkpoint_ns[^\n]*\|[^|\n]|\bpath\.split\("\|"\)/],
  "writers and their functions": [/\bnode\.writers\b|\bgetNode\(/],
  "LangGraph's handler of messages": [/StreamMessagesHandler|\bcallbacks\?\.handlers\b/],
  "the method that the server looks for": [/getJsonSchema/],
  "the form of a Send": [/\blg_name\b/],
  "what tasks leave when they are not done": [/\bchannel === (?:RESUME|INTERRUPT|ERROR)\b/],
  "the form of a message": [/\blc_id\b/],
  "how LangChain makes its objects": [/\blc_kwargs\b/, "model/constrained-decoding.ts", "model/named-models.ts"],
  "the kind of a model": [/(?<!override )\b_(?:llmType|modelType)\b/],
  "the methods of a model that streams": [/"_streamResponseChunks"/, "model/reasoning-completions.ts"],
  "the model in a binding, and those in withFallbacks": [/"(?:bound|runnable)" in |\brunnable: \w*Schema\b/],
  "the retries in a model": [/\bonFailedAttempt\b/],
  // The inside of @langchain/openai belongs to the room that knows providers.
  "OpenAI's client in a model": [
    /\bclientConfig\b/,
    "model/model-errors.ts",
    "model/models.ts",
    "model/named-models.ts",
    "model/tables/windows.ts",
  ],
  "the inside of a zod schema": [/\b_zod\b/, "base/zod-schema.ts"],
};

describe("a private name or shape of LangGraph or LangChain", () => {
  it.each(Object.entries(doors))("is used only in src/langgraph: %s", (_what, [pattern, ...others]) => {
    const found = files.filter((file) => pattern.test(code.get(file) ?? ""));
    const outside = found.filter((file) => !file.startsWith("langgraph/"));
    expect(found).not.toEqual([]);
    expect(outside.sort()).toEqual(others);
  });

  it("in a config key is read only by src/langgraph", () => {
    const keys = /\b(?:READ|SEND|SCRATCHPAD|CHECKPOINTER|RESUME_MAP)_KEY\b/;
    const readers = files.filter((file) => keys.test(code.get(file) ?? ""));
    expect(readers).not.toEqual([]);
    expect(readers.filter((file) => !file.startsWith("langgraph/"))).toEqual([]);
  });
});
