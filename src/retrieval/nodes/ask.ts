import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { shorten } from "../../base/shorten.js";
import { unfenced } from "../../content/marks.js";
import { marksShown } from "../../core/state/mark.js";
import type { QuietCall } from "../../core/state/quiet-call.js";
import type { AgentStateValues } from "../../core/state/state.js";
import { askWithinLimits } from "../../middleware/ask-within-limits.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { prompt } from "../prompts/prompt-parts.js";

/** Asks the model for what a node needs. Returns undefined if the limits of the turn leave no room for that. */
export async function ask(
  purpose: QuietCall["purpose"],
  { agent }: RetrievalDependencies,
  state: AgentStateValues,
  messages: BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<string | undefined> {
  const text = await askWithinLimits(purpose, agent, state, () => messages, config);
  // Prompts fence the reply again. A mark that the model repeats is none of its words.
  return text === undefined ? undefined : unfenced(text, marksShown(state));
}

/** What a model decided, or the words of its reply if they decide nothing. */
interface Decided<T> {
  readonly value?: T;
  readonly undecided?: string;
}

/**
 * Asks the model to decide something. A reply that does not decide is asked for again, once.
 *
 * @param read Reads the decision in a reply. Undefined if there is none.
 * @returns What was decided. It is undefined if the limits of the turn leave no room for the call.
 */
export async function askToDecide<T>(
  purpose: QuietCall["purpose"],
  parts: RetrievalDependencies,
  state: AgentStateValues,
  messages: BaseMessage[],
  read: (reply: string) => T | undefined,
  config: LangGraphRunnableConfig,
): Promise<Decided<T> | undefined> {
  const first = await ask(purpose, parts, state, messages, config);
  if (first === undefined) return undefined;
  const decided = read(first);
  if (decided !== undefined) return { value: decided };
  const again = prompt(
    ...messages.map(({ text }) => text),
    "Your last reply was not in this form. Reply in this form only.",
  );
  const second = await ask(purpose, parts, state, again, config);
  const value = second === undefined ? undefined : read(second);
  return value === undefined ? { undecided: shorten(second ?? first, 500) } : { value };
}
