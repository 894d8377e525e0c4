import type { Protocol } from "../../src/index.js";
import { type ProtocolName, protocols } from "../../src/protocols/index.js";

/** Returns a built-in protocol that says how each call in the text of a reply is written. */
export function protocolWithWords(name: ProtocolName): Protocol {
  const protocol: Protocol = protocols[name];
  return {
    ...protocol,
    parse: (reply, tools) => {
      const said = protocol.parse(reply, tools);
      const isNative = typeof reply !== "string" && reply.toolCalls.length > 0;
      if (said.kind !== "action" || isNative) return said;
      const text = typeof reply === "string" ? reply : reply.text;
      const from = text.search(/Action:|Follow up:|<tool_call>/);
      return { ...said, actions: said.actions.map((action) => ({ ...action, written: text.slice(from) })) };
    },
  };
}
