import type { BaseMessage } from "@langchain/core/messages";
import { paragraphs } from "../base/paragraphs.js";
import { messageText } from "../content/content.js";
import { historyIn, placeOf, questionIn } from "../core/nodes/remember.js";
import { idOf, Results, stepOf } from "../core/nodes/steps-in-messages.js";
import type { PromptView } from "../core/parts/protocol.js";
import { type IntermediateStep, isFollowed } from "../core/state/decision.js";
import type { AgentStateValues } from "../core/state/state.js";
import type { ToolSpec } from "../tool-inputs/tool-spec.js";
import { writeSaid } from "./chat-history-text.js";

type Turns = Pick<AgentStateValues, "messages" | "turn" | "question" | "chatHistory" | "intermediateSteps">;
type Shown = Pick<PromptView, "question" | "standalone" | "chatHistory" | "intermediateSteps">;

/**
 * Returns the turns of a thread as a text prompt shows them. They are made of `messages`, as native prompts are: what was
 * changed there is shown as it is now. A step of the state keeps how the model wrote its calls. It is shown as long as its
 * messages say the same. A reply that was not followed stands in no message, and keeps its place between the others.
 *
 * @param tools The tools of the prompt, which name the arguments of calls that were written as a text.
 */
export function shownTurn(state: Turns, tools: readonly ToolSpec[]): Shown {
  const { messages, turn, question, chatHistory, intermediateSteps: steps } = state;
  const place = placeOf(turn.message.id, messages);
  const byReply = new Map(steps.flatMap((step, n) => (isFollowed(step) ? [[idOf(turn, step, n), n] as const] : [])));
  const found = messages.findIndex(({ id = "" }, n) => n > place && byReply.has(id));
  const first = found < 0 ? messages.length : found;
  const message = questionIn({ messages, turn });
  const asked = (message && messageText(message).trim()) || turn.asked;
  const since = message ? said(messages.slice(place + 1, first)) : "";
  const before = messages.slice(0, message ? place : first);
  return {
    question: paragraphs(asked, since && `Since then:\n${since}`),
    ...(question !== turn.asked && asked === turn.asked && { standalone: question }),
    chatHistory: historyIn(before, chatHistory),
    intermediateSteps: shownSteps(messages.slice(first), steps, byReply, tools),
  };
}

/** Writes what others said, people among them. */
function said(messages: readonly BaseMessage[]): string {
  const lines = messages.map((message) =>
    message.getType() === "human" ? messageText(message).trim() : writeSaid([message]),
  );
  return lines.filter((line) => line !== "").join("\n");
}

function shownSteps(
  messages: readonly BaseMessage[],
  steps: readonly IntermediateStep[],
  byReply: ReadonlyMap<string, number>,
  tools: readonly ToolSpec[],
): IntermediateStep[] {
  const results = new Results(messages);
  const shown = messages.flatMap((message, n): IntermediateStep[] => {
    if (results.areShown(message)) return [];
    const known = byReply.get(message.id ?? "");
    const step = known === undefined ? undefined : steps[known];
    const found = results.of(message, n);
    if (step === undefined && found.length === 0) return saidStep(message);
    const slips = known === undefined ? [] : steps.slice(lastFollowed(steps.slice(0, known)) + 1, known);
    return [...slips, stepOf(message, found, step, tools)];
  });
  return [...shown, ...steps.slice(lastFollowed(steps) + 1)];
}

function lastFollowed(steps: readonly IntermediateStep[]): number {
  return steps.findLastIndex(isFollowed);
}

/** Shows what another said in the middle of the steps, at the place of an observation. */
function saidStep(message: BaseMessage): IntermediateStep[] {
  const correction = said([message]);
  const reply = { text: "", toolCalls: [], invalidToolCalls: [] };
  return correction === "" ? [] : [{ reply, decision: { kind: "unparseable", why: "", correction }, results: [] }];
}
