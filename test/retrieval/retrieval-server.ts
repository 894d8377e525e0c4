import { Document } from "@langchain/core/documents";
import { createRetrievalAgent, type RetrievalOptions } from "../../src/index.js";
import { loadModel } from "../../src/model/models.js";
import { type OpenAIServer, type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";

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

/** The replies of a model to each kind of prompt. A list has one reply for each call, and its last one for all others. */
export type Replies = Partial<Record<Asked, ServerReply | readonly ServerReply[] | ((prompt: string) => ServerReply)>>;

export interface RetrievalServer {
  readonly server: OpenAIServer;
  readonly agent: ReturnType<typeof createRetrievalAgent>;
  /** The kinds of the prompts so far. */
  readonly asked: Asked[];
  /** The texts of the prompts so far, with all of their messages. */
  readonly prompts: string[];
}

/** Makes a retrieval agent whose model speaks over HTTP, with replies by the kind of the prompt. */
export async function retrievalOver(
  replies: Replies,
  options: Omit<RetrievalOptions, "model">,
): Promise<RetrievalServer> {
  const asked: Asked[] = [];
  const prompts: string[] = [];
  const server = await startOpenAIServer(({ body }) => {
    const prompt = body.messages.map(({ content }) => String(content)).join("\n\n");
    const kind = kindOf(prompt);
    const count = asked.filter((one) => one === kind).length;
    asked.push(kind);
    prompts.push(prompt);
    const reply = replies[kind];
    if (typeof reply === "function") return reply(prompt);
    const one = isList(reply) ? (reply[count] ?? reply.at(-1)) : reply;
    return one ?? { status: 500, message: `The test has no reply for ${kind}.` };
  });
  const model = await loadModel("openai:test-model", { baseUrl: server.url, apiKey: "key" });
  const agent = createRetrievalAgent({ model, modelCalls: { maxRetries: 0 }, ...options });
  return { server, agent, asked, prompts };
}

function isList(reply: unknown): reply is readonly ServerReply[] {
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

/** A retriever that finds passages by a function of the query, and notes its queries. */
export function retrieverOf(find: (query: string) => readonly string[] | Promise<readonly string[]>) {
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
