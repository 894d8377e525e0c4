import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { needs } from "./helpers/needs.js";
import type { ServerReply } from "./helpers/openai-server.js";
import { type Snippet, snippetsOf, UserFolder } from "./helpers/snippets.js";

const snippets = snippetsOf("docs/from-create-agent.md");
const calls = (name: string, args: Record<string, unknown>): ServerReply => ({ toolCalls: [{ name, args }] });

/** What the model says in each pair, and what both programs print. */
const pairs: readonly { heading: string; replies: readonly ServerReply[]; printed: string }[] = [
  { heading: "An agent", replies: [calls("weather", { place: "Bergen" }), "7 °C."], printed: "7 °C.\n" },
  {
    heading: "An answer as data",
    replies: ['{ "city": "Leeds", "degrees": 13.5 }'],
    printed: "{ city: 'Leeds', degrees: 13.5 }\n",
  },
  {
    heading: "Middleware",
    replies: [calls("weather", {}), "It is 7 °C."],
    printed: "asks after: How warm is it?\ncalls weather\nasks after: 7 °C\n",
  },
  {
    heading: "The state",
    replies: [calls("remember", { name: "Ann" }), "Hello, Ann."],
    printed: "Ann [ 'human', 'ai', 'tool', 'ai' ]\n",
  },
  { heading: "Streaming", replies: ["I answer questions."], printed: "I answer questions." },
  {
    heading: "A person decides",
    replies: [calls("refund", { order: 7 }), "It is done."],
    printed: "refund { order: 7 }\nIt is done.\n",
  },
  {
    heading: "Threads that you have",
    replies: ["Hello, Ann.", "You are Ann."],
    printed: "[ 'I am Ann.', 'Hello, Ann.', 'Who am I?', 'You are Ann.' ]\n",
  },
];

/** The package `langchain` is not one of ours. The projects of `npm run test:versions` have it. */
const hasLangChain = needs(
  existsSync("node_modules/langchain"),
  "Programs of LangChain's createAgent are not tried here: npm run test:versions has the package langchain.",
);

const needsLangChain = ({ code }: Snippet) => code.includes('from "langchain"');

it.each(hasLangChain ? ["langchain.mjs", "glassloop.mjs"] : ["glassloop.mjs"])(
  "the page for users of createAgent has programs that run: %s",
  async (file) => {
    const tried = pairs.filter(({ heading }) => hasLangChain || !needsLangChain(snippetOf(heading, file)));
    using folder = new UserFolder(hasLangChain ? ["langchain"] : []);
    const programs = tried.map(({ heading, replies }) => ({
      replies,
      write: () => folder.write(`${heading}/${file}`, snippetOf(heading, file).code),
    }));
    const { printed, requests } = await folder.runWithModels(programs);
    expect(printed).toEqual(tried.map((pair) => pair.printed));
    expect(requests.map(({ length }) => length)).toEqual(tried.map(({ replies }) => replies.length));
  },
);

it("the page for users of createAgent has a program of LangChain beside each of ours", () => {
  const names = pairs.flatMap(({ heading }) => [`${heading}/langchain.mjs`, `${heading}/glassloop.mjs`]);
  expect(snippets.map(({ heading, file }) => `${heading}/${file}`)).toEqual(names);
});

function snippetOf(heading: string, file: string): Snippet {
  const found = snippets.find((snippet) => snippet.heading === heading && snippet.file === file);
  if (found === undefined) throw new Error(`There is no ${file} below "${heading}".`);
  return found;
}
