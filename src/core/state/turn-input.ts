import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { MessagesValue, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { attempted } from "../../base/attempted.js";
import { InvalidInputError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { shorten } from "../../base/shorten.js";
import { contentText } from "../../content/content.js";
import { type ContentBlock, contentBlockSchema } from "../../content/content-block.js";
import { bytesIn, describeFile, mostBytes, readFile, sizeText } from "../../content/file-block.js";
import { withContent } from "../../langgraph/message-form.js";

type MessagesInput = { messages: typeof MessagesValue };

/**
 * The input of a turn: `{ messages }` in every form that LangGraph takes. A form is a string, one message, or a list of
 * messages. A message is a role/content object, a tuple or a message object. The last human message is the question. The
 * text of the system messages joins the instructions of the agent in this turn.
 *
 * Any other input is refused here, before LangGraph writes a checkpoint. So a bad input leaves the thread unchanged.
 */
class TurnInputSchema extends StateSchema<MessagesInput> {
  override async validateInput<T>(input: T): Promise<T> {
    const messages = readMessages(input);
    const question = messages[questionIndex(messages)];
    if (question === undefined) throw new InvalidInputError("The conversation has no human message.");
    questionText(question);
    // Nothing else of an input is for the agent, and must not get into one of its channels.
    const own = { ...input, messages };
    for (const name of Object.keys(own)) if (!(name in this.fields)) Reflect.deleteProperty(own, name);
    return super.validateInput(own).catch((error: unknown) => {
      throw new InvalidInputError(messageOf(error));
    });
  }
}

export const TurnInput: StateSchema<MessagesInput> = new TurnInputSchema({ messages: MessagesValue });

/** Returns the input of a turn of an agent with plug-ins: `messages`, and their channels whose names do not begin with `_`. */
export function turnInputWith(channels: Readonly<Record<string, unknown>>): typeof TurnInput {
  const open = Object.entries(channels).filter(([name]) => !name.startsWith("_"));
  return new TurnInputSchema({ ...Object.fromEntries(open), messages: MessagesValue });
}

/** Returns the index of the question in a conversation: its last human message. It is -1 if there is none. */
export function questionIndex(messages: readonly BaseMessage[]): number {
  return messages.findLastIndex((message) => message.getType() === "human");
}

/** Reads the messages of an input. @throws InvalidInputError when it has none. */
export function readMessages(input: unknown): BaseMessage[] {
  if (typeof input !== "object" || input === null) {
    throw new InvalidInputError(`The input is ${describe(input)}, not an object with messages.`);
  }
  if (!("messages" in input)) {
    const keys = Object.keys(input);
    throw new InvalidInputError(
      keys.length === 0 ? "The input is empty." : `The input has no messages, only ${keys.join(", ")}.`,
    );
  }
  const { messages } = input;
  return (Array.isArray(messages) && !isTuple(messages) ? messages : [messages]).map(toMessage);
}

/** Tells whether the list is one message: a pair such as `["human", "…"]`. LangGraph reads it so, too. */
function isTuple(messages: unknown[]): boolean {
  return messages.length === 2 && messages.every((part) => typeof part === "string") && isRole(messages[0]);
}

const roles = new Set(["human", "user", "ai", "assistant", "system", "developer", "tool"]);

function isRole(word: unknown): boolean {
  return typeof word === "string" && roles.has(word);
}

function isMessageLike(value: unknown): value is BaseMessageLike {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

function toMessage(value: unknown): BaseMessage {
  if (!isMessageLike(value)) throw new InvalidInputError(`A message of the input is ${describe(value)}.`);
  const message = attempted(() => coerceMessageLikeToMessage(value));
  if (message) return withPlainBlocks(message);
  const shown = shorten(JSON.stringify(value) ?? "nothing", 200);
  throw new InvalidInputError(`A message of the input cannot be read: ${shown}.`);
}

/** Returns a message with plain data as blocks: a text as a text block, and bytes as base64. */
function withPlainBlocks(message: BaseMessage): BaseMessage {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const plain = content.map(plainBlock);
  return plain.every((block, n) => block === content[n]) ? message : withContent(message, plain);
}

function plainBlock(block: ContentBlock | string): ContentBlock {
  if (typeof block === "string") return { type: "text", text: block };
  const { data } = block;
  return data instanceof Uint8Array ? { ...block, data: Buffer.from(data).toString("base64") } : block;
}

/**
 * Returns the question in a human message: its texts as lines, and what its files are, such as `[an image, image/png, 12 KB]`.
 *
 * @throws InvalidInputError when the message is empty, or has a block that is neither text nor a file, or too many bytes.
 */
export function questionText(message: BaseMessage): string {
  const content = contentSchema.safeParse(message.content);
  if (!content.success) throw new InvalidInputError(`The content of the question is ${describe(message.content)}.`);
  const blocks = typeof content.data === "string" ? [] : content.data;
  const bytes = blocks.reduce((sum, block) => sum + bytesOf(block), 0);
  if (bytes > mostBytes.all) throw tooLarge("The files of the question have", bytes, mostBytes.all);
  const text = (typeof content.data === "string" ? content.data : contentText(blocks)).trim();
  if (text === "") throw new InvalidInputError("The question is empty.");
  return text;
}

const contentSchema = z.union([z.string(), z.array(contentBlockSchema)]);

/** Returns the bytes of the file in a block. A text has none. */
function bytesOf(block: ContentBlock): number {
  if (typeof block.text === "string") return 0;
  const { type } = block;
  const file = readFile(block);
  if (file === undefined) {
    throw new InvalidInputError(
      `The question holds a block of type "${type}"; it may hold text, images, audio, video and files.`,
    );
  }
  const { data, url, id } = file;
  if (data === undefined && url === undefined && id === undefined) {
    throw new InvalidInputError(
      `The block of type "${type}" in the question has no file: give its data, url or fileId.`,
    );
  }
  if (data !== undefined && data === block.data && notBase64.test(data)) {
    throw new InvalidInputError(`The data of the block of type "${type}" in the question is not base64.`);
  }
  const bytes = bytesIn(data ?? "");
  if (bytes > mostBytes.file)
    throw tooLarge(`The file ${describeFile(file)} of the question has`, bytes, mostBytes.file);
  return bytes;
}

const notBase64 = /[^\w+/=-]/;

function tooLarge(what: string, bytes: number, most: number): InvalidInputError {
  return new InvalidInputError(
    `${what} ${sizeText(bytes)}; at most ${sizeText(most)} can be sent. Give a smaller file, or its url.`,
  );
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
