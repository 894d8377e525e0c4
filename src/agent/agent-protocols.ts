import { isDeepStrictEqual } from "node:util";
import type { AgentProtocols } from "../core/parts/agent-parts.js";
import type { Protocol } from "../core/parts/protocol.js";
import type { OutputFormat } from "../middleware/output/output-format.js";
import { outputProtocol } from "../middleware/output/output-protocol.js";
import type { DecodingServer } from "../model/constrained-decoding.js";
import { protocols, protocolWith } from "../protocols/by-name.js";
import { fencedProtocol } from "../protocols/fenced-protocol.js";
import type { ProtocolName } from "../protocols/names.js";

/** The protocols that an agent was given, by the option `protocol`. Under `auto` there is a native one, too. */
export interface GivenProtocols {
  readonly text: Protocol;
  readonly native?: Protocol;
}

/** Returns the protocols that the option `protocol` names. */
export function givenProtocols(
  protocol: ProtocolName | "auto" | Protocol,
  server: DecodingServer | undefined,
): GivenProtocols {
  if (typeof protocol !== "string") return { text: protocol };
  if (protocol !== "auto") return { text: protocols[protocol] };
  if (server !== undefined) return { text: server === "openai" ? protocols["structured-chat"] : protocols.react };
  return { native: protocols["tool-calling"], text: protocols.react };
}

/** Returns the protocols as an agent speaks them. This is the only way from a protocol to the nodes of an agent. */
export function agentProtocols({ text, native }: GivenProtocols, format?: OutputFormat): AgentProtocols {
  const spoken = (protocol: Protocol) => fencedProtocol(format ? outputProtocol(protocol, format) : protocol);
  const own = { text: spoken(text), ...(native && { native: spoken(native) }) };
  return {
    ...own,
    writerOf: ({ protocol: name, options = {} }) => {
      const named = Object.values(own).filter((protocol) => protocol.name === name);
      const same = named.find((protocol) => isDeepStrictEqual(protocol.options ?? {}, options));
      const builtIn = same ? undefined : protocolWith(name, options);
      return same ?? (builtIn && fencedProtocol(builtIn)) ?? named[0];
    },
  };
}
