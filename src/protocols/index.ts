import type { Protocol } from "./protocol.js";
import { react } from "./react.js";

/** The protocols there are, each with its default options, by name. */
export const protocols = {
  react: react(),
} satisfies Record<string, Protocol>;

/** The name of a built-in protocol. */
export type ProtocolName = keyof typeof protocols;
