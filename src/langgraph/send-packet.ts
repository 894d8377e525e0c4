/** A packet for a node, which LangGraph's class `Send` makes. It may come from another copy of the package. */
interface SendPacket {
  readonly node: unknown;
  readonly args: unknown;
  readonly timeout?: unknown;
}

/** Returns a packet as data, which LangGraph takes for a packet where it expects one; undefined for anything else. */
export function sendData(value: object): SendPacket | undefined {
  if (!isSend(value)) return undefined;
  const { node, args, timeout } = value;
  return { node, args, ...(timeout !== undefined && { timeout }) };
}

function isSend(value: object): value is SendPacket {
  return "lg_name" in value && value.lg_name === "Send" && "node" in value && "args" in value;
}
