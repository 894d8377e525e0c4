import type { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { sendChunk, sendRest } from "../../langgraph/messages-stream.js";
import { isLimitSentence } from "../limits/limits.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { Answers, CitationCheck } from "../parts/answers.js";
import type { FencedProtocol, ReplyPiece } from "../parts/protocol.js";
import { runOf } from "../run/run.js";
import { endOf, type Reply, type StopReason } from "../state/decision.js";
import { markFilter, marksShown } from "../state/mark.js";
import { answerIdOf, replyIdOf } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";
import { answerMessage } from "./action-messages.js";
import { protocolOf } from "./parsing/decide.js";

/** The state of the turn to which a reply belongs. */
type TurnState = Pick<AgentStateValues, "turn" | "chatHistory" | "sources">;

/**
 * Returns a function that sends a reply out while the model writes it. It takes the whole reply so far, and returns the
 * place of an observation that the model invents. Events go to the `custom` stream, and chunks of the reply's message to
 * `messages`. Of a text protocol only the answer goes there.
 *
 * @param id The id of the reply.
 */
export function streamReply(
  agent: AgentParts,
  protocol: FencedProtocol,
  { id, state }: { readonly id: string; readonly state: TurnState },
  config: LangGraphRunnableConfig,
): (reply: string) => number | undefined {
  const { name } = agent.answers;
  const run = runOf(config);
  const isHeld = holdsAnswer(agent);
  return readPieces(agent, protocol, state, ({ kind, text }) => {
    if (text === "" || (isHeld && kind === "answer")) return;
    run.emit({ type: kind === "answer" ? "answer-delta" : "text-delta", text });
    if (isHeld || !isInMessage(kind, protocol)) return;
    run.turn.shown += text;
    sendChunk(config, { id, ...(name && { name }) }, text);
  });
}

/** Tells whether an answer goes out as a whole. An output may lose a fence, or be no answer. A hook may change the whole reply. */
function holdsAnswer({ answers: { output, areHeld }, hooks }: AgentParts): boolean {
  return output !== undefined || hooks.afterModel !== undefined || areHeld === true;
}

function isInMessage(kind: ReplyPiece["kind"], { nativeTools }: FencedProtocol): boolean {
  return kind === "answer" || nativeTools === true;
}

/** Returns a function that takes the whole reply so far, and gives its new pieces to `take`, as they may be shown. */
function readPieces(
  agent: AgentParts,
  protocol: FencedProtocol,
  state: TurnState,
  take: (piece: ReplyPiece) => void,
): (reply: string) => number | undefined {
  const reader = protocol.reader(agent.tools.specs);
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

/** Makes a filter of what goes out: it takes out the marks of turns, and checks citations. */
function sentFilter(agent: AgentParts, state: TurnState): Pick<CitationCheck, "push" | "end"> {
  const marks = markFilter(marksShown(state));
  const citations = citationCheck(agent.answers, state);
  if (citations === undefined) return marks;
  return {
    push: (piece) => citations.push(marks.push(piece)),
    end: () => citations.push(marks.end()) + citations.end(),
  };
}

/** The answer of a turn. */
export interface TurnAnswer {
  readonly answer: string;
  readonly stopReason: StopReason;
  /** The limit that the turn reached. */
  readonly why?: string | undefined;
  /** The reply with the answer. Left out if a tool gave the answer. */
  readonly reply?: Reply;
}

/**
 * Sends out what is left of the answer of a turn. Returns the answer with its citations checked, if a model gave it, and its
 * message. That is the message of the reply, unless other words went out as that.
 */
export function sendAnswer(
  agent: AgentParts,
  state: AgentStateValues,
  { answer: said, stopReason, why, reply }: TurnAnswer,
  config: LangGraphRunnableConfig,
): { readonly answer: string; readonly message: AIMessage } {
  const { name } = agent.answers;
  const run = runOf(config);
  const { text: answer, problems } = reply
    ? withCheckedCitations(agent.answers, state, said)
    : { text: said, problems: [] };
  const sent = reply && sentOf(agent, reply, state);
  const restAfter = (shown = "") => (answer.startsWith(shown) ? answer.slice(shown.length) : "");
  // Words are held back until their citations are certain.
  const words = state.sources.length > 0 && sent?.answer === "" && sent.message !== "" ? restAfter(sent.message) : "";
  if (words !== "") run.emit({ type: "text-delta", text: words });
  const rest = restAfter(sent?.answer);
  if (rest !== "" && endOf[stopReason] !== "none" && !isLimitSentence(said, why))
    run.emit({ type: "answer-delta", text: rest });
  for (const problem of problems) run.emit({ type: "citation", ...problem });
  const replyId = replyIdOf(state);
  const id = sent && answer.startsWith(sent.message) ? replyId : answerIdOf(replyId);
  const message = answerMessage(answer, reply, { id, name });
  sendRest(config, message);
  return { answer, message };
}

/** Returns what went out of a reply while the model wrote it: of the answer in its text, and of its message. */
function sentOf(
  agent: AgentParts,
  reply: Reply,
  state: TurnState,
): { readonly answer: string; readonly message: string } {
  const protocol = protocolOf(reply, agent.protocols);
  const sent = { answer: "", message: "" };
  const read = readPieces(agent, protocol, state, ({ kind, text }) => {
    if (kind === "answer") sent.answer += text;
    if (isInMessage(kind, protocol)) sent.message += text;
  });
  if (!holdsAnswer(agent)) read(reply.text);
  return sent;
}

/**
 * Begins to check the citations of what a model says in a turn. Returns undefined if there is nothing to check: the tools of
 * the turn named no sources, or the answers are data.
 */
function citationCheck(
  { output, citations }: Answers,
  { sources }: Pick<AgentStateValues, "sources">,
): CitationCheck | undefined {
  return sources.length > 0 && output === undefined ? citations.check(sources) : undefined;
}

/** Returns a whole text with its citations checked, and the problems in it. */
export function withCheckedCitations(
  answers: Answers,
  state: Pick<AgentStateValues, "sources">,
  text: string,
): Pick<CitationCheck, "problems"> & { readonly text: string } {
  const check = citationCheck(answers, state);
  return check ? { text: check.push(text) + check.end(), problems: check.problems } : { text, problems: [] };
}
