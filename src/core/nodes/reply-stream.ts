import type { AIMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { markFilter } from "../../content/marks.js";
import { sendChunk, sendRest } from "../../langgraph/messages-stream.js";
import type { BegunTry } from "../model/ask-model.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { FencedProtocol, ReplyPiece } from "../parts/protocol.js";
import { runOf } from "../run/run.js";
import * as seams from "../seams/seams.js";
import type { Reply, StopReason } from "../state/decision.js";
import { marksShown } from "../state/mark.js";
import { answerIdOf, replyIdOf } from "../state/reply-id.js";
import type { AgentStateValues } from "../state/state.js";
import { answerMessage } from "./action-messages.js";

/**
 * Sends a reply out while the model writes it, up to an observation that the model invents. Plug-ins listen to it. Events go to the `custom` stream, and chunks of the reply's
 * message to `messages`. With native calls all words are sent as the answer, and a call in the reply takes them back
 * (`answer-reset`). With a text protocol only the answer goes to `messages`. Marks of the fence are removed.
 *
 * @param id The id of the reply.
 */
export function streamReply(
  agent: AgentParts,
  protocol: FencedProtocol,
  { id, state }: { readonly id: string; readonly state: AgentStateValues },
  config: LangGraphRunnableConfig,
): BegunTry {
  const { name, areChecked } = agent.answers;
  const run = runOf(config);
  const { specs: tools } = agent.tools;
  const { listeners, isHeld, words } = seams.listen(agent.plugins, { id, protocol, tools, state, config });
  const send = (kind: ReplyPiece["kind"], text: string) => {
    if (text === "" || (isHeld && kind === "answer")) return;
    const isAnswer = !isHeld && (kind === "answer" || protocol.nativeTools === true);
    if (isAnswer) run.turn.answerId = id;
    run.emit({ type: isAnswer ? "answer-delta" : "text-delta", text });
    // Nobody takes back what went to `messages`.
    if (isAnswer && !areChecked) sendChunk(config, { id, ...(name && { name }) }, text);
  };
  const reader = protocol.reader(tools);
  const marks = marksShown(state);
  let filter = markFilter(marks);
  let current: ReplyPiece["kind"] | undefined;
  const onText: BegunTry["onText"] = (reply, call) => {
    const { pieces, end } = reader.push(reply);
    for (const { kind, text } of pieces) {
      if (current !== undefined && kind !== current) {
        send(current, filter.end());
        filter = markFilter(marks);
      }
      current = kind;
      send(kind, filter.push(text));
    }
    words(reply, call);
    return end;
  };
  return { listeners, onText };
}

/** The answer of a turn. */
export interface TurnAnswer {
  readonly answer: string;
  readonly stopReason: StopReason;
  /** The limit that the turn reached, or the reason why nothing confirms the answer. */
  readonly why?: string | undefined;
  /** The id of the message that has the answer already. Default: that of the reply. */
  readonly id?: string | undefined;
  /** The reply with the answer. Left out if a tool gave the answer. */
  readonly reply?: Reply;
}

/**
 * Sends out what is left of the answer of a turn, and returns the answer's message. It has the id of the reply, unless other
 * words were already sent to `messages` under that id.
 */
export function sendAnswer(
  agent: AgentParts,
  state: AgentStateValues,
  { answer, reply, id: given }: TurnAnswer,
  config: LangGraphRunnableConfig,
): AIMessage {
  const { name } = agent.answers;
  const run = runOf(config);
  const isBegun = answer.startsWith(run.turn.answered);
  if (!isBegun) run.resetAnswer();
  const rest = answer.slice(run.turn.answered.length);
  if (rest !== "") run.emit({ type: "answer-delta", text: rest });
  const replyId = replyIdOf(state);
  const id = given ?? (reply && isBegun ? replyId : answerIdOf(replyId));
  const message = answerMessage(answer, reply, { id, name, outside: run.outside });
  sendRest(config, message);
  return message;
}
