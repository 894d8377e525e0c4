import {
  type Command,
  isCommand,
  isGraphBubbleUp,
  isGraphInterrupt,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { errorWithoutSecrets } from "../../base/secrets/without-secrets.js";
import { allowManyListeners } from "../../langgraph/many-listeners.js";
import type { AgentParts, RunParts } from "../parts/agent-parts.js";
import type { EventDetails } from "../run/events.js";
import { type Run, runOf } from "../run/run.js";
import type { UsageCounter } from "../run/usage-counter.js";
import type { Work } from "../run/work.js";
import { repliesIn } from "../state/decision.js";
import { joinOutside } from "../state/outside.js";
import type { AgentStateUpdate, AgentStateValues } from "../state/state.js";
import { addUsage, noCounts, startTurnUsage } from "../state/usage.js";
import type { NodeName } from "./node-names.js";

export type Node<Update> = (state: AgentStateValues, config: LangGraphRunnableConfig) => Promise<Update>;

/**
 * Makes a node that works in a run of its agent. The run emits what the update of the node says, and how the turn ends. The
 * update gets the usage of the node.
 *
 * @param name The name of the node.
 * @param beginsTurn True for the node that begins a turn. The state that it finds is that of the turn before.
 */
export function runNode<Update extends AgentStateUpdate | Command>(
  name: string,
  node: Node<Update>,
  beginsTurn = false,
): Node<Update> {
  return (state, config) => {
    const run = runOf(config);
    allowManyListeners(config);
    const begin = async ({ found }: Work): Promise<Update> => {
      const counter = run.enter(config);
      const before = beginsTurn ? startTurnUsage(state.usage) : state.usage;
      const usage = () => addUsage(before, counter.spent);
      if (!beginsTurn) run.turn.goOn(state);
      run.learn(state.outside ?? []);
      try {
        const update = await node(state, config);
        if (isCommand(update)) {
          run.turn.end("handed-over", usage());
          return update;
        }
        found.update = update;
        for (const event of eventsOf(update)) run.emit(event);
        if (update.stopReason) run.turn.end(update.stopReason, usage());
        const outside = newOutside(state, run, beginsTurn);
        if (!beginsTurn && counter.spent === noCounts) return { ...update, ...outside };
        const workedMs = Math.round(run.turn.workedMs);
        return { ...update, ...outside, usage: usage(), workedMs, ...quietCalls(state, counter, beginsTurn) };
      } catch (thrown) {
        const error =
          isGraphBubbleUp(thrown ?? undefined) || config.signal?.aborted ? thrown : errorWithoutSecrets(thrown);
        run.turn.left = counter.left;
        if (isGraphInterrupt(error)) run.turn.wait(error.interrupts, usage());
        else run.turn.fail(error, run.howStopped(config.signal), usage());
        throw error;
      }
    };
    const work: Work = { kind: "node", name, found: {} };
    const working = run.wrapWork ? run.wrapWork(work, begin) : begin(work);
    run.follow(working);
    return working;
  };
}

/** Makes a node that has the parts of the agent for its run, and that tells what it does. */
export function nodeOf<Update extends AgentStateUpdate | Command>(
  name: NodeName,
  parts: AgentParts | RunParts,
  make: (agent: AgentParts) => Node<Update>,
): Node<Update> {
  const node: Node<Update> =
    "at" in parts ? async (state, config) => make(await parts.at(state, config))(state, config) : make(parts);
  return runNode(name, node, name === "rephrase-question");
}

/** Returns the text from outside that is new to the thread. A thread in which a turn has begun has none or some. */
function newOutside({ outside }: AgentStateValues, run: Run, beginsTurn: boolean): Pick<AgentStateUpdate, "outside"> {
  const known = outside ?? [];
  const found = joinOutside(known, run.outside).slice(known.length);
  return found.length > 0 || (beginsTurn && outside === null) ? { outside: found } : {};
}

/** Returns the calls of the turn that are no steps, if they change. */
function quietCalls(
  state: AgentStateValues,
  { quietCalls: made }: UsageCounter,
  beginsTurn: boolean,
): Pick<AgentStateUpdate, "quietCalls"> {
  if (beginsTurn) return made.length > 0 || state.quietCalls.length > 0 ? { quietCalls: made } : {};
  const after = repliesIn(state).length;
  return made.length > 0 ? { quietCalls: [...state.quietCalls, ...made.map((call) => ({ ...call, after }))] } : {};
}

/** Yields the events in the update of a node. The results of actions and the answer had theirs when they came. */
function* eventsOf(update: AgentStateUpdate): Generator<EventDetails> {
  const { turn, question, decision, intermediateSteps: step } = update;
  if (turn && question !== undefined) yield { type: "question", asked: turn.asked, question };
  if (decision?.kind === "unparseable") {
    const thought = step && "reply" in step ? step.reply.text.trim() : "";
    if (thought) yield { type: "thought", text: thought };
    if (decision.correction) yield { type: "correction", text: decision.correction };
  }
  if (decision?.kind === "action") {
    if (decision.thought) yield { type: "thought", text: decision.thought };
    for (const { id, tool, toolInput } of decision.actions) yield { type: "action", id, tool, toolInput };
  }
}
