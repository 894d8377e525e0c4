import type { BaseMessage } from "@langchain/core/messages";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { unfenced } from "../content/marks.js";
import type { WritePrompt } from "../core/model/ask-model.js";
import { inOrder, isMistake } from "../core/model/failures.js";
import type { AgentParts } from "../core/parts/agent-parts.js";
import type { ChatHistory } from "../core/state/chat-history.js";
import { endOf } from "../core/state/decision.js";
import { marksShown } from "../core/state/mark.js";
import type { Turn } from "../core/state/state.js";
import { noUsage } from "../core/state/usage.js";
import { rephrasingPrompts } from "../protocols/prompt/rephrasing.js";
import { askWithinLimits } from "./ask-within-limits.js";

/**
 * Makes the question of a turn stand on its own. The question stays as it was asked if it refers to nothing, if the model's
 * words are of no use, if the call fails, or if the limits of the turn leave no room for the call.
 *
 * @param way Whether it does. `auto`: if the first model is not asked with native calls, which show all messages.
 */
export function rephrasing(way: boolean | "auto"): AgentParts["rephrase"] {
  return async (agent, turn, chatHistory, config) => {
    const { asked } = turn;
    if (!hasAnswers(chatHistory) || isSmallTalk(asked) || !(await rephrases(way, agent, config))) return asked;
    const begun = { turn, intermediateSteps: [], usage: noUsage };
    const write: WritePrompt = (fits) => fittingPrompt(turn, chatHistory, fits);
    const text = await askWithinLimits("rephrasing", agent, begun, write, config).catch((error: unknown) => {
      if (config.signal?.aborted || isMistake(error)) throw error;
      return undefined;
    });
    if (text === undefined) return asked;
    // Prompts fence the question again. A mark that the model repeats is none of its words.
    return usableRephrasing(unfenced(text, marksShown({ turn, chatHistory })), asked) ?? asked;
  };
}

/** Tells whether a question can refer to something: a summary, or a turn that has an answer. */
function hasAnswers({ summary, turns }: ChatHistory): boolean {
  return summary !== "" || turns.some(({ stopReason }) => endOf(stopReason) !== "none");
}

async function rephrases(
  way: boolean | "auto",
  { protocols: { native, text }, models }: AgentParts,
  config: LangGraphRunnableConfig,
): Promise<boolean> {
  if (way !== "auto") return way;
  const [{ abilities }] = inOrder(await models.load(), config);
  return !(native && abilities.nativeTools ? native : text).nativeTools;
}

/** Returns the first prompt that fits. Each one shows fewer turns than the one before. */
function fittingPrompt(turn: Turn, history: ChatHistory, fits: Parameters<WritePrompt>[0]): BaseMessage[] {
  let shortest: BaseMessage[] = [];
  for (const messages of rephrasingPrompts(turn, history)) {
    if (fits(messages)) return messages;
    shortest = messages;
  }
  return shortest;
}

const smallTalk = new Set(
  [
    "hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|good night|bye|goodbye|see you",
    "thanks|thank you|thanks a lot|thank you very much|many thanks|thx|cheers|great thanks|ok|okay|ok thanks|great|cool",
    "hallo|guten morgen|guten tag|guten abend|danke|danke schön|vielen dank|tschüss|bonjour|salut|bonsoir|merci|merci beaucoup",
    "au revoir|hola|buenos días|buenas tardes|gracias|muchas gracias|adiós|ciao|buongiorno|grazie|olá|oi|obrigado|obrigada",
    "你好|您好|谢谢|多谢|再见|こんにちは|ありがとう|ありがとうございます|안녕하세요|감사합니다|привет|спасибо|xin chào|cảm ơn",
  ].flatMap((line) => line.split("|")),
);

/**
 * Tells whether a message is only a greeting or thanks. Such a message refers to nothing, and a model would invent a
 * question for it.
 */
export function isSmallTalk(message: string): boolean {
  const words = message
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\s]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return words === "" ? !/\p{N}/u.test(message) : smallTalk.has(words);
}

const refusal =
  /^(?:i['’]?m sorry|sorry|i am sorry|i apologi[sz]e|i can(?:['’]t|not)|i am unable|i['’]m unable|as an ai|unfortunately)\b/i;
const label = /^(?:standalone question|rephrased question|question|follow up input|q)\s*[:：]\s*/i;
const quotes = /^(["'“”‘’`«])(.*)(["'“”‘’`»])$/s;

/**
 * Reads the standalone question in a model's reply. Returns undefined if the reply is empty or a refusal. A reply that
 * is much longer than the question is ignored, too: it is an answer or an invention.
 */
export function usableRephrasing(reply: string, asked: string): string | undefined {
  const thought = reply.lastIndexOf("</think>");
  const text = (thought < 0 ? reply : reply.slice(thought + "</think>".length)).trim();
  const lines = asked.includes("\n") ? text : (text.split("\n")[0] ?? "");
  const question = lines.trim().replace(label, "").trim().replace(quotes, "$2").trim();
  if (question === "" || (refusal.test(question) && !refusal.test(asked))) return undefined;
  return question.length > 4 * asked.length + 200 ? undefined : question;
}
