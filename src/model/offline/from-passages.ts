import { answersIn, type FoundAnswer } from "./best-sentence.js";
import { withoutAsking } from "./calculation.js";
import { standIn } from "./next-step.js";

/**
 * What a prompt of a retrieval agent has. `draft` is the answer from earlier passages, `next` the paragraph after the
 * question, such as an answer to check. The parts that a prompt does not have are empty.
 */
type Request = Readonly<Record<"question" | "passages" | "draft" | "next", string>>;

/** The rules for each prompt, by its words. */
const rules: readonly (readonly [words: RegExp, reply: (request: Request) => string])[] = [
  [/^Decide where to search/, () => "all"],
  [/^(?:Write (?!the draft)|Split a )/, ({ question }) => withoutAsking(question)],
  [/^Tell which passages help/, ({ passages, question }) => numbersOf(answersIn(passages, question)) || "none"],
  [/^Copy from a passage/, ({ passages, question }) => answersIn(passages, question)[0]?.text ?? "NOTHING"],
  [/^Answer a question from one passage/, scoredAnswer],
  [/^Check an answer/, verdict],
  [/^Write the draft of an answer|(?:^|\n)Answer the question from the passages\. Use only/, answer],
  [/(?:^|\n)Answer the question from the conversation and from what you know\./, () => standIn],
];

/** Returns the reply to a prompt of a retrieval agent. Undefined for any other prompt. */
export function fromPassages(prompt: string): string | undefined {
  const [, reply] = rules.find(([words]) => words.test(prompt)) ?? [];
  const asked = prompt.lastIndexOf("\nQuestion: ");
  if (asked < 0) return undefined;
  const [question = "", next = ""] = prompt.slice(asked + "\nQuestion: ".length).split("\n\n");
  const before = prompt.slice(0, asked);
  const found = before.slice(before.lastIndexOf("\nPassages:\n"));
  const [passages = "", draft = ""] = found.split(/\n\n(?:Draft|Answer so far): /);
  return reply?.({ question, passages, draft: draft.trim(), next });
}

const dontKnow = "I do not know: the passages do not answer this.";

function numbersOf(found: readonly FoundAnswer[]): string {
  return found.map(({ passage }) => passage).join(", ");
}

/** Answers with a sentence and the number of its passage. An answer from earlier passages stays. */
function answer({ passages, question, draft }: Request): string {
  const [best] = answersIn(passages, question);
  if (draft !== "" && !draft.startsWith("I do not know")) return draft;
  return best ? best.text.replace(/[.!?]?$/, (end) => ` [${best.passage}]${end}`) : dontKnow;
}

function scoredAnswer(request: Request): string {
  const said = answer(request);
  return `${said}\nScore: ${said === dontKnow ? 0 : 80}`;
}

/** An answer is right if it stands in the passages as it is. */
function verdict({ passages, question, next }: Request): string {
  const said = next.replace(/^Answer: /, "").replace(/ \[\d+\]/g, "");
  const isRight =
    said === dontKnow ? answersIn(passages, question).length === 0 : passages.replace(/\s+/g, " ").includes(said);
  return isRight ? "YES" : "NO: the passages do not say this";
}
