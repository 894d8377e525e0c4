import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";

const callsSchema = z.array(z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) }));

/** The tools of the examples. */
export const tools: readonly ToolSpec[] = readTools("forms/tools.json");

/** Replies with calls, each in the form of a family of models. `family` is the `families` of its row in `call-forms.ts`. */
export const formExamples = readLines(
  "forms/calls.jsonl",
  z.object({ family: z.string(), case: z.string(), text: z.string(), calls: callsSchema }),
);

/**
 * Replies with calls that have slips, or forms of no family.
 *
 * - `calls`: they are read.
 * - `correction`: the reply is no call and no answer. `says` stands in the correction.
 * - `unknown`: the reply calls an unknown tool. The parser returns a correction, or a call of that name, which the agent
 *   answers.
 */
export const slips = readLines(
  "forms/slips.jsonl",
  z.object({
    case: z.string(),
    text: z.string(),
    /** The protocols that read it so. Default: all. */
    protocols: z.array(z.string()).optional(),
    expected: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("calls"), calls: callsSchema }),
      z.object({ kind: z.literal("correction"), says: z.string().optional() }),
      z.object({ kind: z.literal("unknown"), tool: z.string() }),
    ]),
  }),
);

/** The tools of the replies in words. */
export const proseTools: readonly ToolSpec[] = readTools("replies/prose-tools.json");

/**
 * Replies of words and a call, in eight languages. The call is to run (`run`), or the words only talk about it (`no`), or the model
 * is to be asked (`ask`).
 */
export const proseReplies = readLines(
  "replies/prose.jsonl",
  z.object({
    id: z.string(),
    protocol: z.enum(["tool-calling", "react"]),
    text: z.string(),
    note: z.string(),
    label: z.enum(["run", "no", "ask"]),
    call: callsSchema.element.optional(),
  }),
);

function readTools(file: string): ToolSpec[] {
  const parameters = z.record(z.string(), z.unknown());
  return z.array(z.object({ name: z.string(), description: z.string(), parameters })).parse(JSON.parse(fixture(file)));
}

function readLines<T>(file: string, schema: z.ZodType<T>): T[] {
  return fixture(file)
    .split("\n")
    .filter(Boolean)
    .map((line) => schema.parse(JSON.parse(line)));
}

function fixture(file: string): string {
  return readFileSync(new URL(`../fixtures/${file}`, import.meta.url), "utf8");
}
