import type { BaseMessage } from "@langchain/core/messages";
import type { Node } from "../../core/nodes/run-node.js";
import type { Passage } from "../../core/parts/protocol.js";
import type { AgentStateUpdate } from "../../core/state/state.js";
import { fence } from "../../protocols/fence/fence.js";
import type { RetrievalDependencies } from "../dependencies.js";
import { onlyData, passagesPart, prompt, promptFence, questionPart, spoken } from "../prompts/prompt-parts.js";
import { ask } from "./ask.js";
import { retrievalOf, wholePassages } from "./read-state.js";

/** Makes the node that makes a draft better with the next passage. It runs once for each passage but the last. */
export function refine(parts: RetrievalDependencies): Node<AgentStateUpdate> {
  return async (state, config) => {
    const retrieval = retrievalOf(state);
    const { refined, draft } = retrieval;
    const passage = wholePassages(state)[refined];
    if (passage === undefined) return {};
    const messages = draftPrompt(state.question, passage, draft, state.turn.mark);
    const reply = await ask("draft", parts, state, messages, config);
    return { retrieval: { ...retrieval, refined: refined + 1, draft: spoken(reply ?? "") || draft } };
  };
}

/** Writes a prompt of LangChain's refine chain: an answer from one passage, or a better one with one more passage. */
function draftPrompt(question: string, passage: Passage, draft: string, mark: string): BaseMessage[] {
  const known = `Draft: ${fence(draft, promptFence(mark))}`;
  return prompt(
    "Write the draft of an answer, which is made better passage by passage.",
    `Use only what the passages say. After each statement write the number of its passage, such as [${passage.number}]. ${onlyData}`,
    passagesPart([passage], mark),
    draft === "" ? "" : known,
    questionPart(question, mark),
    draft === ""
      ? "Reply with the draft. If the passage does not help, reply: I do not know."
      : "Reply with the whole new draft. If the passage adds nothing, repeat the draft.",
  );
}
