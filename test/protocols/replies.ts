import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ProtocolName } from "../../src/protocols/index.js";
import { toolInputSchema } from "../../src/tool-inputs/tool-input.js";

const labelledReplySchema = z.object({
  id: z.string(),
  tools: z.array(z.string()),
  text: z.string(),
  tags: z.array(z.string()),
  expected: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("action"), tool: z.string(), input: toolInputSchema }),
    z.object({ kind: z.literal("finish"), output: z.string() }),
    z.object({ kind: z.literal("unparseable"), why: z.string() }),
  ]),
});
export type LabelledReply = z.infer<typeof labelledReplySchema>;

/** Replies as models write them, each with what it means; bench/README.md describes the form. */
export const labelledReplies: Readonly<Partial<Record<ProtocolName, readonly LabelledReply[]>>> = {
  react: readReplies("react"),
  "structured-chat": readReplies("structured_chat"),
  conversational: readReplies("conversational"),
  "self-ask": readReplies("self_ask"),
};

function readReplies(file: string): LabelledReply[] {
  const text = readFileSync(new URL(`../fixtures/replies/${file}.jsonl`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => labelledReplySchema.parse(JSON.parse(line)));
}
