import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { WritePrompt } from "../model/ask-model.js";
import { inOrder, isMistake } from "../model/failures.js";
import type { AgentParts } from "../parts/agent-parts.js";
import type { ChatHistory } from "../state/chat-history.js";
import { endOf } from "../state/decision.js";
import { marksShown, unfenced } from "../state/mark.js";
import type { Turn } from "../state/state.js";
import { noUsage } from "../state/usage.js";
import { askWithinLimits } from "./ask-within-limits.js";

/**
 * Makes the question of a turn stand on its own. The question stays as it was asked if it refers to nothing, if the model's
 * words are of no use, if the call fails, or if the limits of the turn leave no room for the call.
 */
export async function standaloneQuestion(
  agent: AgentParts,
  turn: Turn,
  chatHistory: ChatHistory,
  config: LangGraphRunnableConfig,
): Promise<string> {
  const { asked } = turn;
  if (!hasAnswers(chatHistory) || isSmallTalk(asked) || !(await rephrases(agent, config))) return asked;
  const begun = { turn, intermediateSteps: [], usage: noUsage };
  const write: WritePrompt = (fits) => rephrasingFor(agent, turn, chatHistory, fits);
  const text = await askWithinLimits("rephrasing", agent, begun, write, config).catch((error: unknown) => {
    if (config.signal?.aborted || isMistake(error)) throw error;
    return undefined;
  });
  if (text === undefined) return asked;
  // Prompts fence the question again. A mark that the model repeats is none of its words.
  return usableRephrasing(unfenced(text, marksShown({ turn, chatHistory })), asked) ?? asked;
}

/** Tells whether a question can refer to something: a summary, or a turn that has an answer. */
function hasAnswers({ summary, turns }: ChatHistory): boolean {
  return summary !== "" || turns.some(({ stopReason }) => endOf(stopReason) !== "none");
}

/** Tells whether an agent rephrases. Under `auto` it does not if its model is asked with native calls, which shows all messages. */
async function rephrases(
  { protocols: { rephrases, native, text }, models }: AgentParts,
  config: RunnableConfig,
): Promise<boolean> {
  if (rephrases !== "auto") return rephrases;
  const [{ abilities }] = inOrder(await models.load(), config);
  return !(native && abilities.nativeTools ? native : text).nativeTools;
}

/** Writes the prompt for rephrasing. It leaves out the oldest turns if it would not fit. */
function rephrasingFor(
  { protocols }: AgentParts,
  turn: Turn,
  history: ChatHistory,
  fits: Parameters<WritePrompt>[0],
): BaseMessage[] {
  let shortest: BaseMessage[] = [];
  for (const messages of protocols.rephrasing(turn, history)) {
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
