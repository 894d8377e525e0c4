import { tool } from "@langchain/core/tools";
import { InMemoryStore, type LangGraphRunnableConfig, MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const thread = { configurable: { thread_id: "t" } };
const replies = [
  {
    content: "I note both.",
    tool_calls: [
      { name: "note", args: { text: "one" } },
      { name: "note", args: { text: "two" } },
    ],
  },
  "Noted.",
];

function agentThatNotes(options: Partial<AgentOptions> = {}) {
  const noted: string[] = [];
  const note = tool(
    async ({ text }, { writer, store }: LangGraphRunnableConfig) => {
      noted.push(text);
      writer?.({ noting: text });
      await store?.put(["notes"], text, { text });
      return `noted ${text}`;
    },
    { name: "note", description: "Notes a text.", schema: z.object({ text: z.string() }) },
  );
  const model = scriptedModel(replies);
  const own = { tools: [note], protocol: "tool-calling", checkpointer: new MemorySaver() } as const;
  const agent = createAgent({ model, ...own, rephrase: false, ...options });
  return { agent, noted, model };
}

describe("the usual uses of LangGraph's own agent", () => {
  it.each([
    ["interrupts before the tools, and resumes", { interruptBefore: ["act" as const] }, ["act"], []],
    ["interrupts after the tools, and resumes", { interruptAfter: ["act" as const] }, ["plan"], ["one", "two"]],
  ])("%s", async (_, breakpoint, next, before) => {
    const { agent, noted, model } = agentThatNotes();
    await agent.invoke({ messages: "Note." }, { ...thread, ...breakpoint });
    expect([(await agent.getState(thread)).next, noted]).toEqual([next, before]);
    expect((await agent.invoke(null, thread)).answer).toBe("Noted.");
    expect(noted).toEqual(["one", "two"]);
    model.assertComplete();
  });

  it("gives tools the store", async () => {
    const store = new InMemoryStore();
    const { agent } = agentThatNotes({ store });
    await agent.invoke({ messages: "Note." }, thread);
    expect((await store.search(["notes"])).map(({ key }) => key)).toEqual(["one", "two"]);
  });

  it("answers several questions in a batch", async () => {
    const model = scriptedModel(["One.", "One."]);
    const agent = createAgent({ model, rephrase: false, checkpointer: new MemorySaver() });
    const configs = ["a", "b"].map((thread_id) => ({ configurable: { thread_id } }));
    const states = await agent.batch([{ messages: "First?" }, { messages: "Second?" }], configs);
    expect(states.map(({ question, answer }) => [question, answer])).toEqual([
      ["First?", "One."],
      ["Second?", "One."],
    ]);
  });

  it.each(["tools", "custom", "messages", "tasks", "checkpoints"] as const)("streams %s", async (streamMode) => {
    const { agent } = agentThatNotes();
    const chunks: unknown[] = [];
    for await (const chunk of await agent.stream({ messages: "Note." }, { ...thread, streamMode })) chunks.push(chunk);
    const seen = chunks.flatMap((chunk) => read[streamMode].safeParse(chunk).data ?? []);
    // A piece with which a known key may begin waits for the next one.
    if (streamMode === "messages") expect(seen.join("")).toBe(streamed.messages.join(""));
    else expect(seen).toEqual(streamed[streamMode]);
  });
});

const nodes = ["rephrase-question", "plan", "parse", "act", "plan", "parse"];
const streamed = {
  tools: ["on_tool_start", "on_tool_start", "on_tool_end", "on_tool_end"],
  custom: ["one", "two"],
  messages: ["I", " note", " both.", "", "noted one", "noted two", "Noted."],
  tasks: nodes.flatMap((name) => [name, name]),
  checkpoints: [["__start__"], ...nodes.map((name) => [name]), []],
};
const read: Record<keyof typeof streamed, z.ZodType<unknown[]>> = {
  tools: z.object({ event: z.string() }).transform(({ event }) => [event]),
  custom: z.object({ noting: z.string() }).transform(({ noting }) => [noting]),
  messages: z.tuple([z.object({ text: z.string() }), z.unknown()]).transform(([{ text }]) => [text]),
  tasks: z.object({ name: z.string() }).transform(({ name }) => [name]),
  checkpoints: z.object({ next: z.array(z.string()) }).transform(({ next }) => [next]),
};
