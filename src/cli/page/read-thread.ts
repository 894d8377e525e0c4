import { isBaseMessage } from "@langchain/core/messages";
import { createAgent } from "../../agent/create-agent.js";
import { promptsOf } from "../../agent/prompts/prompt-of.js";
import type { ModelPrompt } from "../../agent/prompts/written-again.js";
import { messageText, withoutData } from "../../content/content.js";
import type { UsageCounts } from "../../core/state/usage.js";
import { INPUT_CHANNEL } from "../../langgraph/names.js";
import { answerProtocol } from "../../retrieval/prompts/answer.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { HistoryStep, HistoryTurn } from "../../threads/lookup/history.js";
import type { Threads } from "../../threads/open.js";

/** What happened between two checkpoints. */
export interface ShownStep {
  /** The nodes that worked. */
  readonly nodes: readonly string[];
  readonly from: string;
  readonly step: HistoryStep;
  readonly changes: readonly ChangedChannel[];
}

/** A turn of a page. */
export interface ShownTurn extends HistoryTurn {
  readonly works: readonly ShownStep[];
  readonly prompts: readonly ModelPrompt[];
  readonly usage: UsageCounts | undefined;
}

/** Reads what a page shows of a thread. The states are read one after the other, as those of a long thread are large. */
export async function readThread(threads: Threads, thread: Pick<ThreadSummary, "id" | "graph">): Promise<ShownTurn[]> {
  const { id } = thread;
  const agent = readingAgent(threads, thread);
  const prompts = new Map<number, ModelPrompt[]>();
  for await (const prompt of promptsOf(agent, id)) {
    prompts.set(prompt.turn, [...(prompts.get(prompt.turn) ?? []), prompt]);
  }
  const shown: ShownTurn[] = [];
  let before: Readonly<Record<string, unknown>> = {};
  let last: HistoryStep | undefined;
  for (const turn of (await threads.history(id)).turns) {
    const works: ShownStep[] = [];
    let usage: UsageCounts | undefined;
    for (const step of turn.steps) {
      const { values } = await agent.getState({ configurable: { thread_id: id, checkpoint_id: step.checkpoint } });
      const nodes = step.source === "loop" && last ? last.next.map(nodeName) : [step.source];
      works.push({ nodes, from: last?.at ?? step.at, step, changes: stateDifference(before, values) });
      usage = values.usage?.turn;
      before = values;
      last = step;
    }
    shown.push({ ...turn, works, prompts: prompts.get(turn.number) ?? [], usage });
  }
  return shown;
}

function nodeName(node: string): string {
  return node === INPUT_CHANNEL ? "start" : node;
}

/** A channel that a node has changed, with what is new in it, as JSON. */
interface ChangedChannel {
  readonly channel: string;
  readonly change: string;
}

type Values = Readonly<Record<string, unknown>>;

/** Finds what is new in a state. Of a list that has grown, only the new items are given. */
function stateDifference(before: Values, now: Values): ChangedChannel[] {
  return Object.entries(now).flatMap(([channel, value]) => {
    const [old, text] = [written(before[channel]), written(value)];
    if (text === undefined || text === old) return [];
    return [{ channel, change: addedTo(before[channel], value) ?? text }];
  });
}

function addedTo(before: unknown, now: unknown): string | undefined {
  if (!Array.isArray(before) || !Array.isArray(now) || before.length === 0 || now.length <= before.length)
    return undefined;
  if (written(now.slice(0, before.length)) !== written(before)) return undefined;
  return `… and ${written(now.slice(before.length))}`;
}

function written(value: unknown): string | undefined {
  return JSON.stringify(value, withPlainMessages, 2);
}

function withPlainMessages(this: unknown, key: string, value: unknown): unknown {
  const item: unknown = Object(this)[key];
  if (!isBaseMessage(item)) return withoutData(key, value);
  const isReply = item.getType() === "ai";
  const calls = "tool_calls" in item && Array.isArray(item.tool_calls) && item.tool_calls.length > 0;
  return {
    type: item.getType(),
    content: isReply ? item.content : messageText(item),
    ...(calls && { tool_calls: item.tool_calls }),
  };
}

/**
 * Makes an agent that reads a thread and is never run. A thread can only be read by the agent of its name, so this agent has
 * that name. It has the protocol of retrieval agents; all other protocols are built in.
 */
export function readingAgent({ checkpointer }: Threads, { graph }: Pick<ThreadSummary, "graph">) {
  const named = graph !== undefined && { name: graph };
  return createAgent({ model: "offline", protocol: answerProtocol, checkpointer, ...named });
}
