import { UnknownProtocolError } from "../base/errors.js";
import { conversational } from "./conversational.js";
import { type ProtocolName, protocolNames } from "./names.js";
import type { Protocol } from "./protocol.js";
import { react } from "./react.js";
import { selfAsk } from "./self-ask.js";
import { structuredChat } from "./structured-chat.js";
import { toolCalling } from "./tool-calling.js";

/** The protocols there are, each with its default options, by name. */
export const protocols = {
  react: react(),
  "structured-chat": structuredChat(),
  conversational: conversational(),
  "self-ask": selfAsk(),
  "tool-calling": toolCalling(),
} satisfies Record<ProtocolName, Protocol>;

/**
 * The built-in protocol of a name.
 *
 * @throws {UnknownProtocolError} when there is none of that name; it lists those there are.
 */
export function protocolByName(name: string): Protocol {
  const known = protocolNames.find((candidate) => candidate === name);
  if (known === undefined) throw new UnknownProtocolError(name, protocolNames);
  return protocols[known];
}
