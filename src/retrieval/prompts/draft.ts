import type { BaseMessage } from "@langchain/core/messages";
import { fence } from "../../protocols/fence/fence.js";
import type { Passage } from "../../protocols/protocol.js";
import { onlyData, passagesPart, prompt, promptFence, questionPart } from "./prompt-parts.js";

/** Writes a prompt of LangChain's refine chain: an answer from one passage, or a better one with one more passage. */
export function draftPrompt(question: string, passage: Passage, draft: string, mark: string): BaseMessage[] {
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
