import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { CitationReader } from "../../citations/citation-reader.js";
import { sendChunk } from "../../langgraph/messages-stream.js";
import type { FencedProtocol, ReplyPiece } from "../parts/protocol.js";
import { tell, tellerIn } from "../run/teller.js";
import type { Reply } from "../state/decision.js";
import { markFilter } from "../state/mark.js";
import type { AgentStateValues } from "../state/state.js";
import { citationReader } from "./answer-citations.js";
import type { AgentDependencies } from "./dependencies.js";

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
  protocol: FencedProtocol,
  { id, state }: { readonly id: string; readonly state: TurnState },
  config: LangGraphRunnableConfig,
): (reply: string) => number | undefined {
  const { name } = agent;
  const isHeld = holdsAnswer(agent);
  return readPieces(agent, protocol, state, ({ kind, text }) => {
    if (text === "" || (isHeld && kind === "answer")) return;
    tell(config, { type: kind === "answer" ? "answer-delta" : "text-delta", text });
    if (isHeld || !isInMessage(kind, protocol)) return;
    tellerIn(config)?.show(text);
    sendChunk(config, { id, ...(name && { name }) }, text);
  });
}

/** Tells whether an answer goes out as a whole. An output may lose a fence, or be no answer. A hook may change the whole reply. */
function holdsAnswer({ output, hooks, holdsAnswers }: AgentDependencies): boolean {
  return output !== undefined || hooks.afterModel !== undefined || holdsAnswers === true;
}

function isInMessage(kind: ReplyPiece["kind"], { nativeTools }: FencedProtocol): boolean {
  return kind === "answer" || nativeTools === true;
}

/** Returns a function that takes the whole reply so far, and gives its new pieces to `take`, as they may be shown. */
function readPieces(
  agent: AgentDependencies,
  protocol: FencedProtocol,
  state: TurnState,
  take: (piece: ReplyPiece) => void,
): (reply: string) => number | undefined {
  const reader = protocol.reader(agent.toolSpecs);
  let filter = sentFilter(agent, state);
  let current: ReplyPiece["kind"] | undefined;
  return (reply) => {
    const { pieces, end } = reader.push(reply);
    for (const { kind, text } of pieces) {
      if (current !== undefined && kind !== current) {
        take({ kind: current, text: filter.end() });
        filter = sentFilter(agent, state);
      }
      current = kind;
      take({ kind, text: filter.push(text) });
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
export function sentOf(agent: AgentDependencies, protocol: FencedProtocol, reply: Reply, state: TurnState): SentReply {
  const sent = { answer: "", message: "" };
  const read = readPieces(agent, protocol, state, ({ kind, text }) => {
    if (kind === "answer") sent.answer += text;
    if (isInMessage(kind, protocol)) sent.message += text;
  });
  if (!holdsAnswer(agent)) read(reply.text);
  return sent;
}

/** The parts of a reply that went out while the model wrote it: of its answer, and of its message. */
export interface SentReply {
  readonly answer: string;
  readonly message: string;
}
