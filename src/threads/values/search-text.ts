import { z } from "zod";
import { writeContent } from "../../content/content.js";
import { deserialize, type Serialized } from "./serialize.js";

/** The number of characters of a message that are searched, from its beginning. */
const SEARCHED = 65_536;

/**
 * The speaker of a message: a person asks a question, the agent gives an answer. Tool calls and observations have no
 * speaker.
 */
export type Speaker = "question" | "answer";

interface SpokenText {
  readonly speaker: Speaker;
  readonly text: string;
}

const spoken =
  /^\{"lc":1,"type":"constructor","id":\["langchain_core","messages","(HumanMessage|AIMessage)(?:Chunk)?"\]/;
/** A mark of messages that call tools. Most messages of a thread are calls and observations, and need not be parsed. */
const callsTools = '"tool_calls":[{';
const messageSchema = z.object({
  kwargs: z.object({
    // LangGraph gives each message of a conversation an id. A message without an id is an earlier copy of it.
    id: z.string(),
    content: z.union([z.string(), z.array(z.unknown())]),
  }),
});
const textBlockSchema = z.object({ type: z.literal("text"), text: z.string() });

/** Returns the question or the answer in an item of a thread; undefined if the item is anything else. */
export function spokenTextOf(item: Serialized): SpokenText | undefined {
  const { type, content, texts } = item;
  const name = type === "json" ? spoken.exec(content)?.[1] : undefined;
  if (name === undefined || content.includes(callsTools)) return undefined;
  const form = texts === undefined ? JSON.parse(content) : { kwargs: deserialize(item) };
  const message = messageSchema.safeParse(form).data?.kwargs;
  if (message === undefined) return undefined;
  const isQuestion = name === "HumanMessage";
  const text = plainText(message.content, isQuestion);
  return text === "" ? undefined : { speaker: isQuestion ? "question" : "answer", text };
}

function plainText(content: string | readonly unknown[], isQuestion: boolean): string {
  const isWhole = isQuestion || typeof content === "string";
  const blocks = isWhole
    ? [writeContent(content)]
    : content.map((block) => textBlockSchema.safeParse(block).data?.text);
  return blocks
    .map((block) => block?.slice(0, SEARCHED))
    .join("\n")
    .slice(0, SEARCHED)
    .normalize("NFC")
    .replaceAll(/[\s\0]+/gu, " ")
    .trim();
}

/**
 * Makes a text ready for search: without case and accents. Example: "zurich" finds "Zürich", in every database alike.
 * Each character keeps its position.
 */
export function foldText(text: string): string {
  return Array.from(text.normalize("NFC"), foldCharacter).join("");
}

function foldCharacter(character: string): string {
  const folded = character.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return folded.length === character.length ? folded : character;
}
