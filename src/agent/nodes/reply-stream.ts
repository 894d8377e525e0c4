import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { markFilter } from "../../protocols/fence/mark.js";
import type { Protocol } from "../../protocols/protocol.js";
import { InventedObservation } from "../../protocols/streaming/invented-observation.js";
import { type ReplyPiece, ReplySplitter, sentPieces } from "../../protocols/streaming/reply-splitter.js";
import type { Reply } from "../../turn/decision.js";
import { tell, tellerIn } from "../../turn/teller.js";
import type { AgentDependencies } from "./dependencies.js";
import { sendChunk } from "./message-chunks.js";

/**
 * Returns a function that sends a reply out while the model writes it. It takes the whole reply so far, and returns the
 * place of an observation that the model invents. Events go to the `custom` stream, and chunks of the reply's message to
 * `messages`. Of a text protocol only the answer goes there.
 */
export function replyStream(
  { toolSpecs, name, output, hooks }: AgentDependencies,
  protocol: Protocol,
  { id, mark = "" }: { readonly id: string; readonly mark?: string | undefined },
  config: LangGraphRunnableConfig,
): (reply: string) => number | undefined {
  const splitter = new ReplySplitter(protocol, toolSpecs);
  const invented = protocol.nativeTools ? undefined : new InventedObservation(protocol, toolSpecs);
  // An output may lose a fence, or be no answer. A hook may change the whole reply.
  const isWhole = output !== undefined || hooks.afterModel !== undefined;
  const filter = markFilter(mark);
  let current: ReplyPiece["kind"] | undefined;
  const send = ({ kind, text }: ReplyPiece) => {
    if (text === "" || (isWhole && kind === "answer")) return;
    tell(config, { type: kind === "answer" ? "answer-delta" : "text-delta", text });
    if (isWhole || (kind !== "answer" && !protocol.nativeTools)) return;
    tellerIn(config)?.show(text);
    sendChunk(config, { id, ...(name && { name }) }, text);
  };
  return (written) => {
    const end = invented?.find(written);
    const reply = written.slice(0, end);
    for (const { kind, text } of splitter.push(reply)) {
      if (current !== undefined && kind !== current) send({ kind: current, text: filter.end() });
      current = kind;
      send({ kind, text: filter.push(text) });
    }
    return end;
  };
}

/** Returns what went out of a reply: the answer in its text, and the text of its message. */
export function sentOf(
  { toolSpecs, output, hooks }: AgentDependencies,
  protocol: Protocol,
  { reply, mark = "" }: { readonly reply: Reply; readonly mark?: string | undefined },
): { readonly answer: string; readonly message: string } {
  if (output !== undefined || hooks.afterModel) return { answer: "", message: "" };
  const pieces = sentPieces(protocol, toolSpecs, reply.text);
  const answer = markFilter(mark).push(pieces.answer);
  return { answer, message: protocol.nativeTools ? markFilter(mark).push(pieces.words) : answer };
}
