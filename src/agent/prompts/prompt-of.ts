import type { RunnableConfig } from "@langchain/core/runnables";
import type { StateSnapshot } from "@langchain/langgraph";
import { undefinedOn } from "../../base/attempted.js";
import { ThreadError } from "../../base/errors.js";
import { digestOfMessage } from "../../content/message-digest.js";
import type { Agent } from "../../graph/agent.js";
import { checkThreadId } from "../../graph/thread-id.js";
import { agentProtocols, givenProtocols } from "../agent-protocols.js";
import { knownAgent, type PromptWriter } from "../known-agents.js";
import { callsBetween, type ModelPrompt, writtenAgain } from "./written-again.js";

/**
 * Returns the prompt of the newest model call of a thread: its messages, stop texts and tools. The prompt is rebuilt from the
 * thread. `exact` tells whether its SHA-256 is the recorded one of the prompt that was sent.
 *
 * @param agent The agent of the thread. If the agent has a protocol of your own, that protocol writes the prompts. A protocol
 *   that a function of the run returns is not known here: pass an agent with the protocol itself.
 * @param checkpoint A checkpoint id from `threads.history(thread)`. The call is then the newest one before it. Default:
 *   the newest checkpoint.
 * @returns undefined if the thread has no model call yet.
 * @throws ThreadError "checkpoint-not-kept" when the checkpoint was pruned.
 * @example
 * const prompt = await promptOf(agent, "t1");
 * for (const { text } of prompt?.messages ?? []) console.log(text);
 */
export async function promptOf(agent: Agent, thread: string, checkpoint?: string): Promise<ModelPrompt | undefined> {
  for await (const { prompts } of promptsByStep(agent, thread, checkpoint)) return prompts.at(-1);
  return undefined;
}

/** A prompt, and what it has in common with the one before. */
export interface CallPrompt extends ModelPrompt {
  /** The number of its first messages that are also the first ones in the prompt of the reply before. */
  readonly same: number;
}

/**
 * Returns the prompt of one model call, rebuilt as by {@link promptOf}.
 *
 * @param call The id of a reply or a quiet call, as in `threads.turn(thread, number)`.
 * @param checkpoint A checkpoint that has the reply: `threads.checkpointOf(thread, call)`. Default: the newest checkpoint. All
 *   checkpoints back to the call are read.
 * @returns undefined if no checkpoint that is kept has the call.
 * @throws ThreadError "checkpoint-not-kept" when the checkpoint was pruned.
 */
export async function promptOfCall(
  agent: Agent,
  thread: string,
  call: string,
  checkpoint?: string,
): Promise<CallPrompt | undefined> {
  const writer = knownAgent(agent) ?? otherWriter;
  let found: ModelPrompt | undefined;
  for await (const { now, before } of stepsOf(agent, thread, checkpoint)) {
    for (const made of callsBetween(before?.values, now.values).toReversed()) {
      if (found === undefined) {
        const { id } = "reply" in made ? made.reply : made.quiet;
        if (id === call) found = writtenAgain(made, writer);
      } else if ("reply" in made) return { ...found, same: countSame(found, writtenAgain(made, writer)) };
    }
  }
  return found && { ...found, same: 0 };
}

function countSame({ messages }: ModelPrompt, before: ModelPrompt): number {
  const [now, then] = [messages, before.messages].map((all) => all.map(digestOfMessage));
  const differs = now?.findIndex((digest, n) => digest !== then?.[n]) ?? 0;
  return differs < 0 ? messages.length : differs;
}

/**
 * Yields the prompts of all model calls on the way to the newest checkpoint of a thread, oldest first. Each is rebuilt as by
 * {@link promptOf}. Calls whose checkpoints were pruned are left out. Each checkpoint is read as a whole, twice, so twice as
 * many turns take about three times as long.
 *
 * @param checkpoint Default: the newest checkpoint.
 * @throws ThreadError "checkpoint-not-kept" when the checkpoint was pruned.
 */
export async function* promptsOf(agent: Agent, thread: string, checkpoint?: string): AsyncGenerator<ModelPrompt> {
  const places: RunnableConfig[] = [];
  for await (const { now } of stepsOf(agent, thread, checkpoint)) places.push(now.config);
  let before: StateSnapshot | undefined;
  // The states of a long thread are large. So they are read again, one after the other.
  for (const place of places.reverse()) {
    const now = await stateAt(agent, place);
    // The checkpoint was pruned meanwhile.
    if (now === undefined) continue;
    for (const call of callsBetween(before?.values, now.values))
      yield writtenAgain(call, knownAgent(agent) ?? otherWriter);
    before = now;
  }
}

/** Yields the prompts of each step up to a checkpoint that asked a model, the newest step first, with the checkpoint before it. */
export async function* promptsByStep(
  agent: Agent,
  thread: string,
  checkpoint?: string,
): AsyncGenerator<{ readonly prompts: readonly ModelPrompt[]; readonly before: RunnableConfig | undefined }> {
  for await (const { now, before } of stepsOf(agent, thread, checkpoint)) {
    const calls = callsBetween(before?.values, now.values);
    const prompts = calls.map((call) => writtenAgain(call, knownAgent(agent) ?? otherWriter));
    if (prompts.length > 0) yield { prompts, before: before?.config };
  }
}

/** The writer for an agent that another copy of the package made. */
const otherWriter: PromptWriter = { protocols: agentProtocols(givenProtocols("auto", undefined)), isChanged: false };

interface Step {
  readonly now: StateSnapshot;
  readonly before: StateSnapshot | undefined;
}

/** Reads a checkpoint with its parent, then the parent with its own, and so on. */
async function* stepsOf(agent: Agent, thread: string, checkpoint: string | undefined): AsyncGenerator<Step> {
  const configurable = { thread_id: checkThreadId(thread), ...(checkpoint && { checkpoint_id: checkpoint }) };
  let now = await stateAt(agent, { configurable });
  if (now === undefined && checkpoint !== undefined) throw new ThreadError("checkpoint-not-kept", thread, checkpoint);
  while (now !== undefined) {
    const before = now.parentConfig && (await stateAt(agent, now.parentConfig));
    yield { now, before };
    now = before;
  }
}

async function stateAt(agent: Agent, config: RunnableConfig): Promise<StateSnapshot | undefined> {
  // Savers of `openThreads` throw for a checkpoint that is not kept. Others give an empty state.
  const state = await agent.getState(config).catch(undefinedOn("checkpoint-not-kept"));
  return state?.createdAt === undefined ? undefined : state;
}
