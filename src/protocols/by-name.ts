import { InvalidOptionError } from "../base/errors.js";
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
  try {
    return known && makers[known](options);
  } catch (error) {
    if (error instanceof InvalidOptionError) return undefined;
    throw error;
  }
}

/**
 * Returns the built-in protocol with a name.
 *
 * @throws {InvalidOptionError} when there is no protocol with that name. It lists all names.
 */
export function protocolByName(name: string): Protocol {
  const known = protocolNames.find((candidate) => candidate === name);
  if (known !== undefined) return protocols[known];
  const reason = `there is no protocol named ${JSON.stringify(name)}. The protocols are: ${protocolNames.join(", ")}; or give your own.`;
  throw new InvalidOptionError("protocol", reason);
}
