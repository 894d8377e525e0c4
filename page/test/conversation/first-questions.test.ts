import { expect, it } from "vitest";
import { questionsFor } from "../../src/conversation/first-questions.js";
import type { ServedAgent } from "../../src/wire.js";

const words = (agent: Partial<ServedAgent> | undefined) =>
  questionsFor(agent && { name: "a", settings: {}, ...agent }).map(({ question }) => question);

it("asks the rules without a model about their documents", () => {
  expect(words({ models: [{ name: "offline" }] })[0]).toMatch(/Rubik/);
});

it.each<[string, Partial<ServedAgent> | undefined]>([
  ["an agent that is not known", undefined],
  ["an agent without tools", {}],
  ["an agent with tools", { tools: [{ name: "calculator" }, { name: "refund" }] }],
  [
    "an agent with many tools",
    { tools: ["calculator", "document_search", "web_search", "calculator"].map((name) => ({ name })) },
  ],
])("has three questions for %s", (_, agent) => expect(words(agent)).toHaveLength(3));

it("begins with what its tools can do", () => {
  expect(words({ tools: [{ name: "calculator" }] })[0]).toMatch(/17 %/);
});
