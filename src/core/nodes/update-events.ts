import { citedSources } from "../../citations/check-citations.js";
import type { EventDetails } from "../run/events.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";

/** Yields the events in the update of a node. The results of actions had theirs when they came. */
export function* eventsOf(update: AgentStateUpdate, state: AgentStateValues): Generator<EventDetails> {
  const { turn, question, decision, intermediateSteps: step, answer, output, stopReason } = update;
  if (turn && question !== undefined) yield { type: "question", asked: turn.asked, question };
  if (decision?.kind === "unparseable") {
    const thought = step && "reply" in step ? step.reply.text.trim() : "";
    if (thought) yield { type: "thought", text: thought };
    yield { type: "correction", text: decision.correction };
  }
  if (decision?.kind === "action") {
    if (decision.thought) yield { type: "thought", text: decision.thought };
    for (const { id, tool, toolInput } of decision.actions) yield { type: "action", id, tool, toolInput };
  }
  if (typeof answer === "string" && stopReason) {
    const why = decision?.kind === "finish" ? decision.why : undefined;
    const sources = output === undefined ? citedSources(answer, update.sources ?? state.sources) : [];
    yield {
      type: "answer",
      text: answer,
      ...(output !== undefined && { output }),
      ...(sources.length > 0 && { sources }),
      stopReason,
      ...(why && { why }),
    };
  }
}
