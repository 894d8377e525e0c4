import { attempted } from "../base/attempted.js";
import type { Protocol } from "../core/parts/protocol.js";
import { conversational } from "./conversational.js";
import { type ProtocolName, protocolNames } from "./names.js";
import { react } from "./react.js";
import { selfAsk } from "./self-ask.js";
import { structuredChat } from "./structured-chat.js";
import { toolCalling } from "./tool-calling.js";

/** The built-in protocols by name, each with its default options. */
export const protocols = {
  react: react(),
  "structured-chat": structuredChat(),
  conversational: conversational(),
  "self-ask": selfAsk(),
  "tool-calling": toolCalling(),
} satisfies Record<ProtocolName, Protocol>;

const makers: Record<ProtocolName, (options: Record<string, unknown>) => Protocol> = {
  react,
  "structured-chat": structuredChat,
  conversational,
  "self-ask": selfAsk,
  "tool-calling": toolCalling,
};

/** Returns a built-in protocol with options that were kept as data; undefined if there is none that takes them. */
export function protocolWith(name: string, options: Readonly<Record<string, unknown>>): Protocol | undefined {
  const known = protocolNames.find((candidate) => candidate === name);
  return known && attempted(() => makers[known](options));
}
