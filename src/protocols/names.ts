/** The names of the built-in protocols. A file of its own, so that the command line can tell them without loading LangChain. */
export const protocolNames = ["react", "structured-chat", "conversational", "self-ask", "tool-calling"] as const;

/** The name of a built-in protocol. */
export type ProtocolName = (typeof protocolNames)[number];

/** What can be chosen by name: a protocol, or `auto`, which leaves the choice to the agent. */
export const protocolChoices = ["auto", ...protocolNames] as const;
