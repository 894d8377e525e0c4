import { z } from "zod";
import type { Serialized } from "./serialize.js";

/** Whose words a message holds: a person's question, or the agent's answer. Tool calls and observations are neither. */
export type Speaker = "question" | "answer";

export interface SpokenText {
  readonly speaker: Speaker;
  readonly text: string;
}

const spoken =
  /^\{"lc":1,"type":"constructor","id":\["langchain_core","messages","(HumanMessage|AIMessage)(?:Chunk)?"\]/;
/** Most messages of a thread are tool calls and observations: they need not be read to be told apart. */
const callsTools = '"tool_calls":[{';
const messageSchema = z.object({
  kwargs: z.object({
    // LangGraph gives every message of a conversation an id. One without is the same message on its way there.
    id: z.string(),
    content: z.union([z.string(), z.array(z.unknown())]),
  }),
});
const textBlockSchema = z.object({ type: z.literal("text"), text: z.string() });

/** The question or the answer in an item of a thread; undefined when the item is anything else. */
export function spokenTextOf({ type, content }: Serialized): SpokenText | undefined {
  const name = type === "json" ? spoken.exec(content)?.[1] : undefined;
  if (name === undefined || content.includes(callsTools)) return undefined;
  const message = messageSchema.safeParse(JSON.parse(content)).data?.kwargs;
  if (message === undefined) return undefined;
  const text = plainText(message.content);
  return text === "" ? undefined : { speaker: name === "HumanMessage" ? "question" : "answer", text };
}

function plainText(content: string | readonly unknown[]): string {
  const blocks =
    typeof content === "string" ? [content] : content.map((block) => textBlockSchema.safeParse(block).data?.text);
  return blocks
    .join("\n")
    .normalize("NFC")
    .replaceAll(/[\s\0]+/gu, " ")
    .trim();
}

/**
 * A text as it is searched: without case and accents, so that "Zürich" is found by "zurich" in every database alike. Each
 * character stays where it was.
 */
export function foldText(text: string): string {
  return Array.from(text.normalize("NFC"), foldCharacter).join("");
}

function foldCharacter(character: string): string {
  const folded = character.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return folded.length === character.length ? folded : character;
}
