import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { CitationReader } from "../../citations/citation-reader.js";
import { markFilter } from "../../protocols/fence/mark.js";
import type { Protocol } from "../../protocols/protocol.js";
import {
  InventedObservation,
  type ReplyPiece,
  ReplySplitter,
  sentPieces,
} from "../../protocols/streaming/reply-splitter.js";
import type { Reply } from "../../turn/decision.js";
import type { AgentStateValues } from "../../turn/state.js";
import { tell, tellerIn } from "../../turn/teller.js";
import { citationReader } from "./answer-citations.js";
import type { AgentDependencies } from "./dependencies.js";
import { sendChunk } from "./message-chunks.js";

/** The state of the turn to which a reply belongs. */
type TurnState = Pick<AgentStateValues, "turn" | "sources">;

/**
 * Returns a function that sends a reply out while the model writes it. It takes the whole reply so far, and returns the
 * place of an observation that the model invents. Events go to the `custom` stream, and chunks of the reply's message to
 * `messages`. Of a text protocol only the answer goes there.
 *
 * @param id The id of the reply.
 */
export function replyStream(
  agent: AgentDependencies,
  protocol: Protocol,
  { id, state }: { readonly id: string; readonly state: TurnState },
  config: LangGraphRunnableConfig,
): (reply: string) => number | undefined {
  const { toolSpecs, name, output, hooks, holdsAnswers } = agent;
  const splitter = new ReplySplitter(protocol, toolSpecs);
  const invented = protocol.nativeTools ? undefined : new InventedObservation(protocol, toolSpecs);
  // An output may lose a fence, or be no answer. A hook may change the whole reply.
  const isWhole = output !== undefined || hooks.afterModel !== undefined || holdsAnswers === true;
  let filter = sentFilter(agent, state);
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
      if (current !== undefined && kind !== current) {
        send({ kind: current, text: filter.end() });
        filter = sentFilter(agent, state);
      }
      current = kind;
      send({ kind, text: filter.push(text) });
    }
    return end;
  };
}

/** Makes a filter of what goes out: it takes out the mark of the turn, and checks citations. */
function sentFilter(agent: AgentDependencies, state: TurnState): Pick<CitationReader, "push" | "end"> {
  const marks = markFilter(state.turn.mark);
  const citations = citationReader(agent, state);
  if (citations === undefined) return marks;
  return {
    push: (piece) => citations.push(marks.push(piece)),
    end: () => citations.push(marks.end()) + citations.end(),
  };
}

/** Returns what went out of a reply: the answer in its text, and the text of its message. */
export function sentOf(agent: AgentDependencies, protocol: Protocol, reply: Reply, state: TurnState): SentReply {
  if (agent.output !== undefined || agent.hooks.afterModel || agent.holdsAnswers) return { answer: "", message: "" };
  const pieces = sentPieces(protocol, agent.toolSpecs, reply.text);
  const answer = sentFilter(agent, state).push(pieces.answer);
  const isInWords = protocol.nativeTools && !protocol.onlyAnswers;
  return { answer, message: isInWords ? sentFilter(agent, state).push(pieces.words) : answer };
}

/** The parts of a reply that went out while the model wrote it: of its answer, and of its message. */
export interface SentReply {
  readonly answer: string;
  readonly message: string;
}
