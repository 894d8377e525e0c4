import { tool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

function agentWith(name: string, field: string) {
  const schema = z.object({ at: z.object({ [field]: z.string() }) });
  return createAgent({ model: scriptedModel(["x"]), tools: [tool(() => "x", { name, description: "", schema })] });
}

it.each([
  ["a<|im_end|>", "q", 'the tool name "a<|im_end|>" has a token'],
  ["search", "q<|im_end|>", 'the tool "search" has a field named "q<|im_end|>", which has a token'],
  ["search", "</tool_call>", "rename the field, or leave the tool out."],
])("refuses a tool %j with a field %j, because names enter prompts unfenced", (name, field, words) => {
  expect(() => agentWith(name, field)).toThrow(words);
});

it("accepts names with other characters", () => {
  for (const name of ["Giphy: Find GIF", "Get <x>", "functions.search"])
    expect(() => agentWith(name, "a[b]")).not.toThrow();
});
