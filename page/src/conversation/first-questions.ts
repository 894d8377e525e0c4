import type { ServedAgent } from "../wire.js";

/** A question to begin with, and what it shows. */
export interface FirstQuestion {
  readonly question: string;
  readonly about?: string;
}

/** Questions about the documents that come with the program. */
const aboutKnowledge: readonly FirstQuestion[] = [
  {
    question: "What is the square root of the world record time for solving a Rubik's Cube?",
    about: "a search, then a calculation",
  },
  {
    question: "How many degrees Celsius was the high in San Francisco on 3 April 2023?",
    about: "a search, and a formula from another document",
  },
  { question: "Who lived longer, Plato or Socrates?", about: "an answer with its source" },
];

/** Questions that a tool can answer. */
const byTool: Readonly<Record<string, FirstQuestion>> = {
  calculator: { question: "What is 17 % of 2,345?", about: "a calculation" },
  document_search: { question: "What are the documents about?", about: "a search in the documents" },
  web_search: { question: "What happened in the news today?", about: "a search on the web" },
};

const general: readonly FirstQuestion[] = [
  { question: "What can you do?" },
  { question: "Which tools do you have, and what is each for?" },
  { question: "Explain in three sentences how you work." },
];

/** Three questions for an agent, from its tools where they are known. */
export function questionsFor(agent: ServedAgent | undefined): FirstQuestion[] {
  const { models = [], tools = [], retrieval } = agent ?? {};
  if (models.some(({ name }) => name === "offline")) return [...aboutKnowledge];
  const known = tools.flatMap(({ name }) => byTool[name] ?? []);
  const searching = retrieval === undefined ? [] : [byTool.document_search ?? []].flat();
  return [...known, ...searching, ...general].slice(0, 3);
}
