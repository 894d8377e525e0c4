import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  type BaseMessageLike,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  type MessageContent,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import { z } from "zod";
import { attempted } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import { isPlainObject } from "../base/plain-data.js";

/** The schema of messages in all forms that LangGraph takes. */
export const messagesSchema = z.array(
  z.custom<BaseMessageLike>((value) => typeof value === "string" || (typeof value === "object" && value !== null)),
);

/** The fields of a message that its constructor reads. */
interface MessageFields {
  readonly content: MessageContent;
  readonly id?: string;
  readonly name?: string;
  readonly role?: string;
  readonly tool_call_id?: string;
}

/** The messages of LangChain by the names of their classes. */
const messages: ReadonlyMap<string, (fields: MessageFields) => BaseMessage> = new Map(
  Object.entries({
    HumanMessage: (fields: MessageFields) => new HumanMessage(fields),
    AIMessage: (fields: MessageFields) => new AIMessage(fields),
    SystemMessage: (fields: MessageFields) => new SystemMessage(fields),
    ToolMessage: (fields: MessageFields) => new ToolMessage(toolFields(fields)),
    FunctionMessage: (fields: MessageFields) => new FunctionMessage({ ...fields, name: fields.name ?? "" }),
    ChatMessage: (fields: MessageFields) => new ChatMessage({ ...fields, role: fields.role ?? "" }),
    RemoveMessage: (fields: MessageFields) => new RemoveMessage({ ...fields, id: fields.id ?? "" }),
    HumanMessageChunk: (fields: MessageFields) => new HumanMessageChunk(fields),
    AIMessageChunk: (fields: MessageFields) => new AIMessageChunk(fields),
    SystemMessageChunk: (fields: MessageFields) => new SystemMessageChunk(fields),
    ToolMessageChunk: (fields: MessageFields) => new ToolMessageChunk(toolFields(fields)),
    FunctionMessageChunk: (fields: MessageFields) => new FunctionMessageChunk({ ...fields, name: fields.name ?? "" }),
    ChatMessageChunk: (fields: MessageFields) => new ChatMessageChunk({ ...fields, role: fields.role ?? "" }),
  }),
);

/** The names of the classes of messages that are revived. */
export const messageNames: readonly string[] = [...messages.keys()];

/** The classes that stand for classes of others, by the type of the message. */
const namesByType = new Map([
  ["human", "HumanMessage"],
  ["ai", "AIMessage"],
  ["system", "SystemMessage"],
  ["tool", "ToolMessage"],
  ["function", "FunctionMessage"],
  ["generic", "ChatMessage"],
  ["remove", "RemoveMessage"],
]);

const FORM_START = '{"lc":1,"type":"constructor","id":["langchain_core","messages","';

/** Tells whether JSON has the form of a message. */
export function isMessageJson(json: string): boolean {
  return json.startsWith(FORM_START);
}

/** A message as LangChain writes it. */
interface MessageForm {
  readonly lc: 1;
  readonly type: "constructor";
  readonly id: readonly string[];
  readonly kwargs: Readonly<Record<string, unknown>>;
}

/**
 * Returns the form of a message, with its fields as they are. A message of another class gets the class of its type.
 *
 * @returns Undefined for anything that is no message.
 */
export function messageForm(value: object): MessageForm | undefined {
  if (isPlainObject(value) || !BaseMessage.isInstance(value)) return undefined;
  const own = value.lc_id.at(-1) ?? "";
  const name = messages.has(own) ? own : (namesByType.get(value.getType()) ?? own);
  return { lc: 1, type: "constructor", id: ["langchain_core", "messages", name], kwargs: fieldsOf(value) };
}

/** Returns the fields that a message was made with, with their values of today. The content holds its blocks, too. */
function fieldsOf(message: BaseMessage): Record<string, unknown> {
  const given: Record<string, unknown> = { ...message.lc_kwargs, content: message.content };
  const entries = Object.keys(given).map((key): [string, unknown] => {
    const isField = Object.hasOwn(message, key) && !key.startsWith("lc_");
    return [key, isField ? Reflect.get(message, key) : given[key]];
  });
  return Object.fromEntries(entries.filter(([key, value]) => value !== undefined && key !== "contentBlocks"));
}

/** Returns a message with other content. All else of it stays as it is. */
export function withContent<Message extends BaseMessage>(message: Message, content: MessageContent): Message {
  const copy: Message = Object.create(Object.getPrototypeOf(message), Object.getOwnPropertyDescriptors(message));
  copy.content = content;
  return copy;
}

/** Makes a message of a class. @returns Undefined if there is no such class, or if the fields are none of a message. */
export function readMessage(name: string, kwargs: unknown): BaseMessage | undefined {
  const make = messages.get(name);
  if (make === undefined || !isRecord(kwargs)) return undefined;
  return attempted(() => (isMessageFields(kwargs) ? make(kwargs) : undefined));
}

function isMessageFields(fields: object): fields is MessageFields {
  for (const [key, isValid] of checks) {
    const value: unknown = Reflect.get(fields, key);
    if (!isValid(value) && (key === "content" || (value !== null && value !== undefined))) return false;
  }
  return true;
}

const isText = (value: unknown) => typeof value === "string";
const checks: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["content", isContent],
  ["id", isText],
  ["name", isText],
  ["role", isText],
  ["tool_call_id", isText],
  ["additional_kwargs", isRecord],
  ["response_metadata", isRecord],
  ["usage_metadata", isRecord],
  ["tool_calls", isListOfRecords],
  ["invalid_tool_calls", isListOfRecords],
  ["tool_call_chunks", isListOfRecords],
]);

function isListOfRecords(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRecord);
}

function isContent(value: unknown): boolean {
  return (
    typeof value === "string" ||
    (Array.isArray(value) && value.every((block) => typeof block === "string" || isRecord(block)))
  );
}

function toolFields(fields: MessageFields) {
  return { ...fields, tool_call_id: fields.tool_call_id ?? "" };
}

const KEYS = new Set(["pageContent", "metadata", "id"]);

/** Returns the form of a document of LangChain; undefined for anything else. Documents are known by their shape. */
export function documentForm(value: object) {
  if (isPlainObject(value) || !("pageContent" in value) || !("metadata" in value)) return undefined;
  const { pageContent, metadata } = value;
  const isDocument = typeof pageContent === "string" && isRecord(metadata);
  if (!isDocument || !Object.keys(value).every((key) => KEYS.has(key))) return undefined;
  const id = "id" in value && value.id !== undefined ? { id: value.id } : {};
  const kwargs = { page_content: pageContent, metadata, ...id };
  return { lc: 1, type: "constructor", id: ["langchain_core", "documents", "Document"], kwargs };
}

/** Makes a document. @returns Undefined if the fields are none of a document. */
export function readDocument(kwargs: unknown): Document | undefined {
  if (!isRecord(kwargs)) return undefined;
  const { page_content: pageContent, metadata, id } = kwargs;
  if (typeof pageContent !== "string" || !isRecord(metadata)) return undefined;
  return new Document({ pageContent, metadata, ...(typeof id === "string" && { id }) });
}
