import { Document } from "@langchain/core/documents";
import { createRetrievalAgent, type RetrievalOptions, streamTurn } from "../../src/index.js";
import { type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { allOf } from "../helpers/turn-events.js";

/** The first words of the prompts of a retrieval agent, by the purpose of the call. */
const beginnings = {
  rephrasing: "Given the following conversation",
  routing: "Decide where to search",
  translation: /^(?:Write \d other wordings|Split a question|Write a more general|Write a short passage)/,
  grading: "Tell which passages help",
  rewriting: "Write another search query",
  nextQuery: "Tell whether the passages are enough",
  note: "Copy from a passage",
  scored: "Answer a question from one passage",
  draft: "Write the draft",
  check: "Check an answer",
  notFound: "Write a text in the language",
  answer: /^Answer the question from/,
} as const;
export type Asked = keyof typeof beginnings;

type Reply = string | Error | Promise<string>;

/** The replies of a model to each kind of prompt. A list has one reply for each call, and its last one for all others. */
export type Replies = Partial<Record<Asked, Reply | readonly Reply[] | ((prompt: string) => Reply)>>;

/** Makes a retrieval agent, the kinds of the prompts that its model got so far, and their texts with all of their messages. */
export function retrievalOver(replies: Replies, options: Omit<RetrievalOptions, "model">) {
  const asked: Asked[] = [];
  const prompts: string[] = [];
  const reply: ScriptedReplyMaker = async (messages) => {
    const prompt = messages.map(({ text }) => text).join("\n\n");
    const kind = kindOf(prompt);
    const count = asked.filter((one) => one === kind).length;
    asked.push(kind);
    prompts.push(prompt);
    const given = replies[kind];
    if (typeof given === "function") return given(prompt);
    const one = isList(given) ? (given[count] ?? given.at(-1)) : given;
    return one ?? new Error(`The test has no reply for ${kind}.`);
  };
  const model = scriptedModel(Array.from({ length: 100 }, () => reply));
  const agent = createRetrievalAgent({ model, modelCalls: { maxRetries: 0 }, ...options });
  return { agent, model, asked, prompts };
}

function isList(reply: unknown): reply is readonly Reply[] {
  return Array.isArray(reply);
}

export function kindOf(prompt: string): Asked {
  const kinds = Object.keys(beginnings) as Asked[];
  const found = kinds.find((kind) => {
    const begin = beginnings[kind];
    return typeof begin === "string" ? prompt.startsWith(begin) : begin.test(prompt);
  });
  if (found === undefined) throw new Error(`No known prompt: ${prompt.slice(0, 100)}`);
  return found;
}

type Find = (query: string) => readonly string[] | Promise<readonly string[]>;

/** Runs a turn of a retrieval agent. Returns the queries of its retriever and its last state, too. */
export async function turnOver(
  find: readonly string[] | Find,
  replies: Replies,
  options: Partial<RetrievalOptions> = {},
  messages = "Who won?",
) {
  const { retriever, queries } = retrieverOf(typeof find === "function" ? find : () => find);
  const { agent, ...made } = retrievalOver(replies, { retriever, ...options });
  return { ...made, queries, state: await agent.invoke({ messages }) };
}

/** Runs a turn of a retrieval agent whose retriever finds these passages. Returns its events. */
export async function eventsOver(
  passages: readonly string[],
  replies: Replies,
  options: Partial<RetrievalOptions> = {},
) {
  const { retriever } = retrieverOf(() => passages);
  const { agent, asked, prompts } = retrievalOver(replies, { retriever, ...options });
  return { asked, prompts, events: await allOf(streamTurn(agent, { messages: "Who won?" })) };
}

/** A retriever that finds passages by a function of the query, and notes its queries. */
export function retrieverOf(find: Find) {
  const queries: string[] = [];
  const retriever = {
    async invoke(query: string): Promise<Document[]> {
      queries.push(query);
      const found = await find(query);
      return found.map((pageContent, n) => new Document({ pageContent, metadata: { source: `${n + 1}.md` } }));
    },
  };
  return { retriever, queries };
}
