import { expect, it } from "vitest";
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
    printed: [
      "asks after: How warm is it? with [ 'weather', 'write_todos' ]",
      "asks after: 7 °C with [ 'weather', 'write_todos' ]",
      "It is 7 °C.\n",
    ].join("\n"),
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

it.each(["langchain.mjs", "glassloop.mjs"])(
  "the page for users of createAgent has programs that run: %s",
  async (file) => {
    using folder = new UserFolder(["langchain"]);
    const programs = pairs.map(({ heading, replies }) => ({
      replies,
      write: () => folder.write(`${heading}/${file}`, snippetOf(heading, file).code),
    }));
    const { printed, requests } = await folder.runWithModels(programs);
    expect(printed).toEqual(pairs.map((pair) => pair.printed));
    expect(requests.map(({ length }) => length)).toEqual(pairs.map(({ replies }) => replies.length));
  },
);

it("the page for users of createAgent has a program of LangChain beside each of ours", () => {
  const names = pairs.flatMap(({ heading }) => [`${heading}/langchain.mjs`, `${heading}/glassloop.mjs`]);
  expect(snippets.map(({ heading, file }) => `${heading}/${file}`)).toEqual(names);
});

it.each(["Middleware", "The state"])("a program with middleware moves in one line: %s", (heading) => {
  const [theirs, ours] = ["langchain", "glassloop"].map((name) =>
    snippetOf(heading, `${name}.mjs`).code.split("\n").slice(1),
  );
  expect(theirs?.[0]).toBe('import { createAgent } from "langchain";');
  expect(ours).toEqual(theirs?.with(0, 'import { createAgent } from "glassloop";'));
});

function snippetOf(heading: string, file: string): Snippet {
  const found = snippets.find((snippet) => snippet.heading === heading && snippet.file === file);
  if (found === undefined) throw new Error(`There is no ${file} below "${heading}".`);
  return found;
}
