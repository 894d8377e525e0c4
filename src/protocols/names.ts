/**
 * The names of the built-in protocols. They have their own file, so the command line can list them without LangChain.
 */
export const protocolNames = ["react", "structured-chat", "conversational", "self-ask", "tool-calling"] as const;

/** The name of a built-in protocol. */
export type ProtocolName = (typeof protocolNames)[number];

/** The names that the `protocol` option takes. `auto` leaves the choice to the agent. */
export const protocolChoices = ["auto", ...protocolNames] as const;
