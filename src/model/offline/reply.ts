import { inDialect } from "./dialects.js";
import { standaloneQuestion } from "./follow-up.js";
import { fromPassages } from "./from-passages.js";
import { nextStep } from "./next-step.js";
import { type PastTurn, readPrompt } from "./read-prompt.js";

/** Returns the reply of the offline model. It is pure: the same prompt always gets the same reply. */
export function replyTo(prompt: string): string {
  return fromPassages(prompt) ?? inDialect(prompt, replyInReact);
}

function replyInReact(prompt: string): string {
  const asked = readPrompt(prompt);
  switch (asked.kind) {
    case "rephrase":
      return ` ${standaloneQuestion(asked.question, asked.history)}`;
    case "react":
      return nextStep(asked);
    case "summary":
      return ` ${summaryOf(asked.current, asked.newLines)}`;
    case "unknown":
      return (
        "I am Glassloop's offline stand-in: a set of rules, no language model. I only follow the prompts of Glassloop's " +
        'text protocols, and this is another one. Use the protocol "react", or set a model.'
      );
  }
}

/** In characters. A longer summary loses its oldest part. */
const longestSummary = 2000;

/** Retells the conversation. Rules cannot shorten a text. */
function summaryOf(current: string, newLines: readonly PastTurn[]): string {
  const told = newLines.map(({ question, answer }) => `The human asked: ${question} The answer was: ${answer}`);
  const summary = [current, ...told].join(" ").trim();
  return summary.length > longestSummary ? `… ${summary.slice(-longestSummary)}` : summary;
}
