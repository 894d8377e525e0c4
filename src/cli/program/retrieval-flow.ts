import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Agent } from "../../graph/agent.js";
import { combinations, translations } from "../../retrieval/dependencies.js";
import type { RetrievalOptions } from "../../retrieval/options.js";

const checks = ["grade", "check", "adaptive"] as const;

/** The words with which `--flow` names a way from documents to an answer. */
export const flowWords = [...combinations, ...checks, ...translations];

/** The words without `--flow`. */
export const defaultFlow = "grade";

/** A flow, as its words name it. */
type RetrievalFlow = ReturnType<typeof readFlow>;

/** Reads the words of a flow, with commas between them. */
export function readFlow(text: string) {
  const words = text.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !flowWords.some((known) => known === word));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`"${unknown}" is no part of a flow. Give some of ${flowWords.join(",")}.`);
  }
  const [combine, ...others] = combinations.filter((word) => words.includes(word));
  const [translate, ...more] = translations.filter((word) => words.includes(word));
  const [second] = [...others, ...more];
  if (second) throw new InvalidArgumentError(`"${second}" is one too many: give one of ${alike(second).join(", ")}.`);
  const has = (word: string) => words.includes(word);
  return { combine, translate, grade: has("grade"), check: has("check"), adaptive: has("adaptive") };
}

function alike(word: string): readonly string[] {
  return combinations.some((one) => one === word) ? combinations : translations;
}

/** Makes the agent of `--retrieval`. Its code is imported only when it is needed. */
export async function retrievalAgent(
  flow: RetrievalFlow,
  options: Omit<RetrievalOptions, "combine" | "translate" | "grade" | "check" | "adaptive">,
): Promise<Agent> {
  const { createRetrievalAgent } = await import("../../retrieval/create-retrieval-agent.js");
  return createRetrievalAgent({ ...options, ...flow });
}
