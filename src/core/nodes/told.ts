import { type Command, isCommand, isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { GlassloopError } from "../../base/errors.js";
import { errorWithoutSecrets } from "../../base/secrets/without-secrets.js";
import { nodeEnd, nodeSpan } from "../../tracing/gen-ai.js";
import { inSpan, type Note } from "../../tracing/spans.js";
import type { EventDetails } from "../run/events.js";
import { Meter, takeCarried, withMeter } from "../run/meter.js";
import { tellerIn } from "../run/teller.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { addUsage, noCounts, startTurnUsage } from "../state/usage.js";

export type Node<Update> = (state: AgentStateValues, config: LangGraphRunnableConfig) => Promise<Update>;

/**
 * Makes a node tell what its update says, and how the run ends. The code that a node calls tells what happens in it. The
 * update gets the cost of the calls in the node. The node runs in a span.
 *
 * @param name The name of the node.
 * @param beginsTurn True for the node that begins a turn. The state that it finds is that of the turn before.
 */
export function told<Update extends AgentStateUpdate | Command>(
  name: string,
  node: Node<Update>,
  { beginsTurn = false } = {},
): Node<Update> {
  async function run(state: AgentStateValues, config: LangGraphRunnableConfig, note: Note): Promise<Update> {
    const teller = tellerIn(config);
    const meter = new Meter();
    meter.add(takeCarried(config));
    const before = beginsTurn ? startTurnUsage(state.usage) : state.usage;
    const usage = () => addUsage(before, meter.spent);
    teller?.enter(config);
    if (!beginsTurn) teller?.goOn(state);
    try {
      const update = await node(state, withMeter(config, meter));
      if (isCommand(update)) {
        teller?.end("handed-over", usage());
        return update;
      }
      note(nodeEnd(update));
      for (const event of eventsOf(update)) teller?.tell(event);
      if (update.stopReason) teller?.end(update.stopReason, usage());
      if (!beginsTurn && meter.spent === noCounts) return update;
      const workedMs = Math.round((beginsTurn ? 0 : state.workedMs) + meter.elapsedMs);
      return { ...update, usage: usage(), workedMs, ...quietCalls(state, meter, beginsTurn) };
    } catch (thrown) {
      const error = isGraphBubbleUp(thrown) || config.signal?.aborted ? thrown : errorWithoutSecrets(thrown);
      teller?.fail(error, howStopped(config.signal), usage(), meter.spent);
      throw error;
    }
  }

  return (state, config) => {
    const running = inSpan(
      () => nodeSpan(name),
      (note) => run(state, config, note),
    );
    tellerIn(config)?.follow(running);
    return running;
  };
}

/** Returns the calls of the turn that are no steps, if they change. */
function quietCalls(
  { quietCalls: kept }: AgentStateValues,
  { quietCalls: made }: Meter,
  beginsTurn: boolean,
): Pick<AgentStateUpdate, "quietCalls"> {
  if (made.length === 0 && (!beginsTurn || kept.length === 0)) return {};
  return { quietCalls: [...(beginsTurn ? [] : kept), ...made] };
}

/** Tells how a run was stopped: by its caller, or by another run. */
function howStopped(signal: AbortSignal | undefined): "cancelled" | "interrupted" | undefined {
  if (!signal?.aborted) return undefined;
  return signal.reason instanceof GlassloopError ? "interrupted" : "cancelled";
}

/** Yields the events in the update of a node. The results of actions and the answer were told when they came. */
function* eventsOf(update: AgentStateUpdate): Generator<EventDetails> {
  const { turn, question, decision, intermediateSteps: step } = update;
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
}
