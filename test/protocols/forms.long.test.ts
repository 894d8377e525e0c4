import { describe, expect, it } from "vitest";
import { protocols } from "../../src/protocols/by-name.js";
import type { ToolInput } from "../../src/tool-inputs/tool-input.js";
import { exampleTools, type FormExample, formExamples } from "./form-examples.js";

/** Returns an input as the arguments that the agent makes of it. A text is for the only argument of `search`. */
function argumentsOf(input: ToolInput): ToolInput {
  return typeof input === "string" ? { query: input } : input;
}

/**
 * Tells whether the beginning of a reply says nothing of a call yet: words, a single bracket, or, without a sign of its own, all
 * before the arguments of a named tool.
 */
function saysNothing(text: string, { form, calls: [call] }: FormExample): boolean {
  return (
    /^(?:[\w =.]+|[[\]])$/.test(text) ||
    (form.weak === true && !new RegExp(String.raw`${call?.name}\S*\s*[[({>]\s*\S`).test(text))
  );
}

/** Returns a call that is not whole, or an answer with a part of a call, if a reply that breaks off is read as one. */
function misread(name: "tool-calling" | "react", text: string, example: FormExample): unknown {
  const read = protocols[name].parse(text, exampleTools);
  if (read.kind === "unparseable") return undefined;
  if (read.kind === "finish") return saysNothing(text, example) ? undefined : read.output;
  const made = read.actions.map(({ tool, toolInput }) => ({ name: tool, input: argumentsOf(toolInput) }));
  return JSON.stringify(made) === JSON.stringify(example.calls.slice(0, made.length)) ? undefined : made;
}

describe.each(["tool-calling", "react"] as const)("a reply in %s that breaks off within its calls", (name) => {
  it.each(formExamples)("is no other call and no answer: $name", (example) => {
    const texts = Array.from(example.text, (_, end) => example.text.slice(0, end));
    const found = texts.filter((text) => text !== "").map((text) => [text, misread(name, text, example)]);
    expect(found.filter(([, what]) => what !== undefined)).toEqual([]);
  });
});
