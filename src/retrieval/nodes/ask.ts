import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { turnSoFar } from "../../core/limits/limits.js";
import { askWithinLimits } from "../../core/nodes/ask-within-limits.js";
import { marksShown, unfenced } from "../../core/state/mark.js";
import type { QuietCall } from "../../core/state/quiet-call.js";
import type { AgentStateValues } from "../../core/state/state.js";
import type { RetrievalDependencies } from "../dependencies.js";

/** Asks the model for what a node needs. Returns undefined if the limits of the turn leave no room for that. */
export async function ask(
  purpose: QuietCall["purpose"],
  { agent }: RetrievalDependencies,
  state: AgentStateValues,
  messages: BaseMessage[],
  config: LangGraphRunnableConfig,
): Promise<string | undefined> {
  const text = await askWithinLimits(
    purpose,
    agent,
    () => turnSoFar(state, config),
    () => messages,
    config,
  );
  // Prompts fence the reply again. A mark that the model repeats is none of its words.
  return text === undefined ? undefined : unfenced(text, marksShown(state));
}
