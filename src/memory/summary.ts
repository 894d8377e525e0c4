import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { checkedOptions, countOption, give } from "../base/options.js";
import { drawMark, unfenced } from "../content/marks.js";
import type { Memory, MemoryContext } from "../core/parts/memory.js";
import type { ChatHistory } from "../core/state/chat-history.js";
import { isChatModel } from "../langgraph/chat-models.js";
import { renderChatHistory } from "../prompts/chat-history-text.js";
import { fencedHistory } from "../protocols/fence/fenced-view.js";
import { type StepsOption, stepsOption } from "./steps-option.js";

const optionsSchema = z.strictObject({
  model: z.custom<BaseChatModel>(isChatModel, give("a LangChain chat model")).optional(),
  turns: countOption.default(2),
  steps: stepsOption,
});

/**
 * Makes a memory that keeps the newest turns word for word and adds each older turn to a summary. It uses the
 * progressive prompt of LangChain's ConversationSummaryMemory, with the calls and results of a turn. If the model call fails or
 * returns nothing, the turns stay as they are. The next call then tries them again.
 *
 * @param model The model that writes the summary. Default: the agent's own model.
 * @param turns The number of newest turns to keep word for word, a positive whole number. Default: 2.
 * @param steps The number of newest turns to show with their steps. Default: all with native calls, none in a text protocol.
 * @throws InvalidOptionError when `turns` or `steps` is not such a number, or `model` is not a chat model.
 */
export function summary(
  options: { readonly model?: BaseChatModel; readonly turns?: number } & StepsOption = {},
): Memory {
  const { model, turns, ...shown } = checkedOptions("summary", optionsSchema, options);
  return {
    name: "summary",
    async remember(given, context) {
      const all = { ...given, ...shown };
      if (all.turns.length <= turns) return all;
      const older = all.turns.slice(0, -turns).map((turn) => ({ ...turn, steps: context.stepsOf(turn) }));
      const folded = await fold(all.summary, { summary: "", turns: older }, model, context);
      return folded === undefined ? all : { ...all, summary: folded, turns: all.turns.slice(-turns) };
    },
  };
}

async function fold(
  current: string,
  older: ChatHistory,
  model: BaseChatModel | undefined,
  { ask, fence, config }: MemoryContext,
): Promise<string | undefined> {
  try {
    const mark = fence ? drawMark() : "";
    const text = await ask([new HumanMessage(summaryPrompt(current, older, mark))], model);
    const marks = [mark, ...older.turns.map((turn) => turn.mark ?? "")];
    return unfenced(text, marks).trim() || undefined;
  } catch (error) {
    if (config.signal?.aborted) throw error;
    return undefined;
  }
}

function summaryPrompt(summary: string, older: ChatHistory, mark: string): string {
  const { summary: current, ...newLines } = fencedHistory({ ...older, summary }, { mark });
  return `Progressively summarize the lines of conversation provided, adding onto the previous summary returning a new summary.

EXAMPLE
Current summary:
The human asks what the AI thinks of artificial intelligence. The AI thinks artificial intelligence is a force for good.

New lines of conversation:
Human: Why do you think artificial intelligence is a force for good?
AI: Because artificial intelligence will help humans reach their full potential.

New summary:
The human asks what the AI thinks of artificial intelligence. The AI thinks artificial intelligence is a force for good because it will help humans reach their full potential.
END OF EXAMPLE

Current summary:
${current}

New lines of conversation:
${renderChatHistory({ ...newLines, summary: "" }, { question: "Human", answer: "AI" })}

New summary:`;
}
