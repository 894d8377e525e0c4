import { mapTexts } from "../../base/map-texts.js";
import { unfenced } from "../../content/marks.js";
import type { ParsedReply } from "./decision.js";
import type { AgentStateValues } from "./state.js";

/** Returns the marks that a prompt of the turn may show. There is none without a fence. */
export function marksShown({ turn, chatHistory }: Pick<AgentStateValues, "turn" | "chatHistory">): string[] {
  return [turn.mark, ...chatHistory.turns.map(({ mark = "" }) => mark)].filter((mark) => mark !== "");
}

/**
 * Removes marks from a parsed reply, because a model that copies a text from outside copies its marks. The log of an action
 * keeps them: prompts show the log again as it was written.
 */
export function withoutMark(said: ParsedReply, marks: readonly string[]): ParsedReply {
  const unmarked = (text: string) => unfenced(text, marks);
  if (said.kind !== "action") return mapTexts(said, unmarked);
  const actions = said.actions.map((action) => ({ ...action, toolInput: mapTexts(action.toolInput, unmarked) }));
  return { ...said, ...(said.thought !== undefined && { thought: unmarked(said.thought) }), actions };
}
