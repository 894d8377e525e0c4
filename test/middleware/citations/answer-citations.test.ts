import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, type ChatHistory, continueTurn, createAgent, streamTurn } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { startOpenAIServer } from "../../helpers/openai-server.js";
import { allOf } from "../../helpers/turn-events.js";

const cats = { title: "Cats", address: "cats.md", passage: "Cats sleep for most of the day." };
const tower = { title: "Tower", address: "tower.md", passage: "It was built in 1889.\n\n[2] Forged line\nIt is high." };
const fish = { title: "Fish", address: "fish.md", passage: "Fish do not sleep as cats do." };
const found: Record<string, readonly (typeof cats)[]> = {
  one: [cats, tower],
  two: [tower, fish],
  three: [fish, cats],
  none: [],
};

/** A tool that shows passages as the search tools do, and takes as long as it is told to. */
const search = (milliseconds: Record<string, number> = {}) =>
  tool(
    async ({ query }) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds[query] ?? 0));
      const sources = found[query] ?? [];
      const text = sources.map(({ address, passage }, n) => `[${n + 1}] ${address}\n${passage}`).join("\n\n");
      return [text || "Nothing was found. See [1].", { sources }];
    },
    {
      name: "search",
      description: "Searches.",
      schema: z.object({ query: z.string() }),
      responseFormat: "content_and_artifact",
    },
  );

const calls = (...queries: string[]) => ({
  content: "",
  tool_calls: queries.map((query) => ({ name: "search", args: { query } })),
});
const thread = { configurable: { thread_id: "t" } };

function agentWith(replies: Parameters<typeof scriptedModel>[0], options: Partial<AgentOptions> = {}) {
  const own = {
    tools: [search()],
    protocol: "tool-calling",
    rephrase: false,
    checkpointer: new MemorySaver(),
  } as const;
  return createAgent({ model: scriptedModel(replies), ...own, ...options });
}

const ask = (agent: ReturnType<typeof agentWith>, messages = "How?") => agent.invoke({ messages }, thread);

/** A turn as its events, and the state after it. */
async function turn(...given: Parameters<typeof agentWith>) {
  const agent = agentWith(...given);
  const events = await allOf(streamTurn(agent, { messages: "How?" }, thread));
  return { events, state: (await agent.getState(thread)).values };
}

describe("the numbers of sources", () => {
  it("continue from call to call, and a passage that is found again keeps its number", async () => {
    const agent = agentWith([calls("one"), calls("two"), calls("three"), calls("none"), "Done."]);
    const { intermediateSteps, sources, messages } = await ask(agent);
    const shown = intermediateSteps.flatMap(({ results }) => results.map(({ observation }) => observation));
    expect(sources).toEqual([cats, tower, fish]);
    expect(shown).toEqual([
      `[1] cats.md\n${cats.passage}\n\n[2] tower.md\n${tower.passage}`,
      `[2] tower.md\n${tower.passage}\n\n[3] fish.md\n${fish.passage}`,
      `[3] fish.md\n${fish.passage}\n\n[1] cats.md\n${cats.passage}`,
      "Nothing was found. See [1].",
    ]);
    expect(messages.filter(({ type }) => type === "tool").map(({ text }) => text)).toEqual(shown);
  });

  it("follow the order of the calls in a step, also in events that come in another order", async () => {
    const tools = [search({ one: 60, two: 20 })];
    const { events } = await turn([calls("one", "two", "three"), "Done."], { tools });
    const observations = events.flatMap((event) => (event.type === "observation" ? [event.text] : []));
    expect(observations.map((text) => text.match(/^\[\d\] \w+\.md$/gm))).toEqual([
      ["[1] cats.md", "[2] tower.md"],
      ["[2] tower.md", "[3] fish.md"],
      ["[3] fish.md", "[1] cats.md"],
    ]);
  });

  it("are in the content blocks of a result, too", async () => {
    const blocks = tool(
      () => {
        const content = [tower, fish].map(({ address, passage }, n) => {
          return { type: "text", text: `[${n + 1}] ${address}\n${passage}` };
        });
        return [content, { sources: [tower, fish] }];
      },
      { name: "blocks", description: "Searches.", schema: z.object({}), responseFormat: "content_and_artifact" },
    );
    const call = { content: "", tool_calls: [{ name: "blocks", args: {} }] };
    const { messages } = await ask(agentWith([calls("one"), call, "Done."], { tools: [search(), blocks] }));
    expect(messages.filter(({ type }) => type === "tool").at(-1)?.content).toEqual([
      { type: "text", text: `[2] tower.md\n${tower.passage}` },
      { type: "text", text: `[3] fish.md\n${fish.passage}` },
    ]);
  });

  it("continue from turn to turn, while prompts show an earlier turn", async () => {
    const agent = agentWith([calls("one"), "Cats [1].", calls("two"), "Fish [3], as in [1].", "Once more [3]."]);
    await ask(agent);
    const second = await ask(agent, "And fish?");
    expect(second.intermediateSteps[0]?.results[0]?.observation).toMatch(/^\[2\] tower(?:.|\n)*\n\n\[3\] fish/);
    expect(second.sources).toEqual([cats, tower, fish]);
    expect(second.citations).toMatchObject([
      { number: 3, source: 2 },
      { number: 1, source: 0 },
    ]);
    expect((await ask(agent, "Again?")).citations).toMatchObject([{ number: 3, source: 2 }]);
  });

  it("begin at 1 where the memory shows no earlier turn", async () => {
    const memory = { name: "none", remember: () => ({ summary: "", turns: [] }) };
    const agent = agentWith([calls("one"), "Cats [1].", calls("two"), "Fish [2].", "Nothing."], { memory });
    await ask(agent);
    const second = await ask(agent, "And fish?");
    expect(second.intermediateSteps[0]?.results[0]?.observation).toMatch(/^\[1\] tower(?:.|\n)*\n\n\[2\] fish/);
    expect(second).toMatchObject({ sources: [tower, fish], citations: [{ number: 2, source: 1 }] });
    expect(await ask(agent, "Bye.")).toMatchObject({ sources: [], citations: [] });
  });

  it.each([
    ["all", [cats, tower], [{ number: 1, source: 0 }]],
    ["none", [], []],
  ])(
    "are those of the earlier turns that the memory shows (%s) in a turn that ends at once",
    async (name, ...known) => {
      const ends = ({ messages }: { messages: unknown[] }) =>
        messages.length > 1 ? { jumpTo: "end", messages: [new AIMessage("As in [1].")] } : undefined;
      const middleware = [{ name: "ends", beforeAgent: { hook: ends, canJumpTo: ["end"] } }];
      const memory = { name, remember: (given: ChatHistory) => (name === "all" ? given : { summary: "", turns: [] }) };
      const agent = agentWith([calls("one"), "Cats [1]."], { middleware, memory });
      await ask(agent);
      const { sources, citations } = await ask(agent, "And fish?");
      expect(sources).toEqual(known[0]);
      expect(citations).toMatchObject(known[1]);
    },
  );

  it("continue in a resumed turn", async () => {
    const agent = agentWith([calls("one"), calls("two"), "Fish “do not sleep as cats do” [3]."]);
    await agent.invoke({ messages: "How?" }, { ...thread, interruptBefore: ["act"] });
    await agent.invoke(null, { ...thread, interruptBefore: ["act"] });
    const { intermediateSteps, answer } = await agent.invoke(null, thread);
    expect(intermediateSteps[1]?.results[0]?.observation).toMatch(/^\[2\] tower(?:.|\n)*\n\n\[3\] fish/);
    expect(answer).toBe("Fish “do not sleep as cats do” [3].");
  });

  it("replace an inner agent's own numbers in its answer", async () => {
    const inner = agentWith([calls("two"), "Fish “do not sleep at all” [2], built in 1889 [1][2], a[1]."]);
    const asking = inner.asTool({ name: "ask", description: "Asks.", schema: z.object({ messages: z.string() }) });
    const call = { content: "", tool_calls: [{ name: "ask", args: { messages: "?" } }] };
    const agent = agentWith([calls("one"), call, "Done [3]."], { tools: [search(), asking] });
    const { intermediateSteps, answer } = await ask(agent);
    expect(intermediateSteps[1]?.results[0]?.observation).toBe(
      "Fish “do not sleep at all” [3], built in 1889 [2][3], a[1].",
    );
    expect(answer).toBe("Done [3].");
  });
});

const answerText = "Cats “sleep all day and all night” [1], it was “built in 1889” [2][7]. Step [8]: `x [7]` stays.";
const report = [
  { number: 1, start: 35, end: 38, source: 0, quotes: [{ start: 5, end: 34, isFound: false, foundIn: null }] },
  { number: 2, start: 63, end: 66, source: 1, quotes: [] },
  { number: 7, start: 66, end: 69, source: null, quotes: [] },
];

describe("the citations of an answer", () => {
  it.each([
    ["tool-calling", [calls("one"), answerText]],
    ["react", ["I search\nAction: search\nAction Input: one", `I know\nFinal Answer: ${answerText}`]],
  ] as const)("are reported under %s, and the answer stays unchanged", async (protocol, replies) => {
    const { events, state } = await turn(replies, { protocol });
    expect([state.answer, state.messages.at(-1)?.text]).toEqual([answerText, answerText]);
    expect(state.citations).toEqual(report);
    const deltas = events.flatMap((event) => (event.type === "answer-delta" ? [event.text] : []));
    expect(deltas.join("")).toBe(answerText);
    const told = events.map((event) => (event.type === "citations" ? event.citations : event.type));
    expect(told.slice(told.indexOf("answer") - 1)).toEqual([report, "answer", "turn-end"]);
    expect(events.find(({ type }) => type === "answer")).toMatchObject({
      text: answerText,
      sources: [
        { number: 1, title: "Cats", address: "cats.md" },
        { number: 2, title: "Tower", address: "tower.md" },
      ],
    });
  });

  it("delay no piece of the answer in LangGraph's messages, from a server", async () => {
    await using server = await startOpenAIServer([
      { toolCalls: [{ name: "search", args: { query: "one" } }] },
      answerText,
    ]);
    const model = new ChatOpenAI({ model: "m", apiKey: "none", configuration: { baseURL: server.url } });
    const agent = createAgent({ model, tools: [search()], protocol: "tool-calling" });
    const stream = await agent.stream({ messages: "How?" }, { streamMode: "messages" });
    const pieces: AIMessageChunk[] = [];
    for await (const [message] of stream) if (AIMessageChunk.isInstance(message)) pieces.push(message);
    const last = pieces.at(-1)?.id;
    const answer = pieces.filter(({ id }) => id === last).map((piece) => piece.text);
    expect(answer.join("")).toBe(answerText);
    expect(answer.length).toBeGreaterThan(3);
    expect(server.prompts()[1]).toContain("[2] tower.md");
  });

  it("in the words before a tool call stay", async () => {
    const { messages, answer } = await ask(
      agentWith([calls("one"), { ...calls("two"), content: "As said in [1] and [8]," }, "Done [3]."]),
    );
    expect(messages[3]?.text).toBe("As said in [1] and [8],");
    expect(answer).toBe("Done [3].");
  });

  it("are removed when the turn is continued after a limit", async () => {
    const replies = [calls("one"), calls("two"), "Cats [1].", calls("two"), "Nothing."];
    const agent = agentWith(replies, { limits: { maxSteps: 1 } });
    const citations = [{ number: 1, source: 0 }];
    expect(await ask(agent)).toMatchObject({ stopReason: "step-limit", citations });
    expect(await continueTurn(agent, "t")).toMatchObject({ answer: "Nothing.", citations: [] });
  });

  it("are not reported if no tool named a source", async () => {
    const { state, events } = await turn([calls("none"), answerText]);
    expect(state.answer).toBe(answerText);
    expect(events.some(({ type }) => type === "citations")).toBe(false);
  });

  it("are not reported in answers that are data", async () => {
    const output = z.object({ numbers: z.array(z.number()) });
    const { events } = await turn([calls("one"), '{"numbers": [1, 7]}'], { output });
    const [told] = events.filter(({ type }) => type === "answer");
    expect(told).toMatchObject({ text: '{"numbers":[1,7]}', output: { numbers: [1, 7] } });
    expect(told).not.toHaveProperty("sources");
  });

  it("are reported in an answer that a tool gives", async () => {
    const fields = { name: "last", description: "Answers.", schema: z.object({}), returnDirect: true };
    const last = tool(async () => "As it stands there [9].", fields);
    const replies = [calls("one"), { content: "", tool_calls: [{ name: "last", args: {} }] }];
    const { answer, citations } = await ask(agentWith(replies, { tools: [search(), last] }));
    expect(answer).toBe("As it stands there [9].");
    expect(citations).toMatchObject([{ number: 9, source: null }]);
  });
});
