import { tool } from "@langchain/core/tools";
import {
  Command,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type Agent,
  type AgentOptions,
  calculator,
  createAgent,
  decide,
  type EventOf,
  streamTurn,
  type TurnEvent,
  turnEventSchema,
} from "../../src/index.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { allOf, checked, stepsIn } from "../helpers/turn-events.js";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({ about: z.string() });

/** A reply with native calls, each a tool and its input. */
const calls = (...called: [name: string, about: string][]): ScriptedReply => ({
  tool_calls: called.map(([name, about]) => ({ name, args: { about } })),
});
const sum: ScriptedReply = { tool_calls: [{ name: "calculator", args: { expression: "2+2" } }] };

function agentOf(
  replies: readonly (ScriptedReply | ScriptedReplyMaker)[],
  tools: AgentOptions["tools"] = [],
  options: Partial<AgentOptions> = {},
) {
  return createAgent({ model: scriptedModel(replies), tools, protocol: "tool-calling", ...options });
}

/** A tool that asks an agent and is given no config: LangGraph finds the run around it. */
function asking(name: string, agent: Agent) {
  const ask = async ({ about }: z.infer<typeof schema>) => (await agent.invoke({ messages: about })).answer;
  return tool(ask, { name, description: "Asks another agent.", schema });
}

const told = (events: readonly TurnEvent[]) =>
  events
    .filter(({ type }) => type !== "question" && !/^model-|-delta$/.test(type))
    .map(({ path, type }) => [...path, type].join(" "));

/** What is told of a turn with one action, with what is told of that. */
const acting = (path: string, ...inside: readonly string[]) => [
  ...[`${path}turn-start`, `${path}action`],
  ...inside,
  ...[`${path}observation`, `${path}answer`, `${path}turn-end`],
];

const answers = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === "answer" ? [`${event.path.join(" ")}: ${event.text}`] : []));

describe("the events of an agent in a tool", () => {
  it("two deep come in their order, each with its path", async () => {
    const deep = agentOf([sum, "Four."], [calculator()]);
    const middle = agentOf([calls(["deep", "sum"]), "It is four."], [asking("deep", deep)]);
    const ask = middle.asTool({ name: "middle", description: "Asks.", schema: z.object({ messages: z.string() }) });
    const asked = { tool_calls: [{ name: "middle", args: { messages: "2 + 2?" } }] };
    const outer = agentOf([asked, "They say four."], [ask]);
    const events = await allOf(streamTurn(outer, { messages: "What is 2 + 2?" }, thread));
    expect(told(events)).toEqual(acting("", ...acting("middle ", ...acting("middle deep "))));
    expect(answers(events)).toEqual(["middle deep: Four.", "middle: It is four.", ": They say four."]);
    expect(new Set(events.map(({ turn }) => turn)).size).toBe(3);
    expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).sort());
  });

  it("side by side differ by their turn, which names the action", async () => {
    // The first waits until the second has answered.
    const events: TurnEvent[] = [];
    const slow: ScriptedReplyMaker = async ([question]) => {
      if (!question?.text.includes("one")) return "Two.";
      await expect.poll(() => answers(events)).toContain("ask: Two.");
      return "One.";
    };
    const inner = createAgent({ model: scriptedModel([slow, slow]), protocol: "tool-calling" });
    const outer = agentOf([calls(["ask", "one"], ["ask", "two"]), "Both."], [asking("ask", inner)]);
    for await (const event of streamTurn(outer, { messages: "Ask both." })) events.push(checked(event));
    const actions = events.flatMap((event) => (event.type === "action" ? [event.id] : []));
    const starts = events.filter((event): event is EventOf<"turn-start"> => event.type === "turn-start");
    expect(starts.map(({ asked, action }) => [asked, action])).toEqual([
      ["Ask both.", undefined],
      ["one", actions[0]],
      ["two", actions[1]],
    ]);
    const said = (turn = "") => events.filter((event) => event.turn === turn && event.type === "answer");
    expect(starts.map(({ turn }) => said(turn))).toMatchObject([
      [{ text: "Both." }],
      [{ text: "One." }],
      [{ text: "Two." }],
    ]);
    // What was ready first is told first.
    const seen = events.filter(({ type }) => type === "observation");
    expect(seen).toMatchObject([
      { id: actions[1], text: "Two." },
      { id: actions[0], text: "One." },
    ]);
  });

  it("that is a node of a graph have the name of the node", async () => {
    const team = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("writer", agentOf(["Written."]))
      .addEdge(START, "writer")
      .compile();
    const ask = async ({ about }: z.infer<typeof schema>) =>
      (await team.invoke({ messages: about })).messages.at(-1)?.text;
    const tools = [tool(ask, { name: "team", description: "Writes.", schema })];
    const events = await allOf(
      streamTurn(agentOf([calls(["team", "a poem"]), "Here."], tools), { messages: "Write!" }),
    );
    expect(answers(events)).toEqual(["team writer: Written.", ": Here."]);
  });

  it("that fails have the error, and the outer turn goes on", async () => {
    const outer = agentOf([calls(["ask", "x"]), "It failed."], [asking("ask", agentOf([new Error("gone")]))]);
    const events = await allOf(streamTurn(outer, { messages: "Try." }));
    expect(told(events)).toEqual(acting("", "ask turn-start", "ask error", "ask turn-end"));
    expect(events.find(({ type }) => type === "error")).toMatchObject({ name: "Error", message: "gone" });
  });

  it("that asks a person have the question once, and both turns wait and resume", async () => {
    const inner = agentOf([sum, "Four."], [calculator()], { approve: "always" });
    const checkpointer = new MemorySaver();
    const outer = agentOf([calls(["ask", "2 + 2"]), "They say four."], [asking("ask", inner)], { checkpointer });
    const first = await allOf(streamTurn(outer, { messages: "What is 2 + 2?" }, thread));
    const [begun, asked] = [acting("").slice(0, 2), acting("ask ").slice(0, 2)];
    expect(told(first)).toEqual([...begun, ...asked, "ask approval", "ask turn-end", "turn-end"]);
    const end = first.at(-1);
    expect(end).toMatchObject({ stopReason: "waiting", waiting: [{ type: "approval" }] });
    const ids = first.flatMap((event) => (event.type === "approval" ? event.requests.map(({ id }) => id) : []));
    const second = await allOf(streamTurn(outer, decide({ [ids[0] ?? ""]: "approve" }), thread));
    const rest = ["ask turn-start", "ask decision", ...acting("ask ").slice(2)];
    expect(told(second)).toEqual(["turn-start", ...rest, ...acting("").slice(2)]);
    const turns = (events: readonly TurnEvent[]) => new Set(events.map(({ turn }) => turn));
    expect(turns(second)).toEqual(turns(first));
    expect(second[0]).toMatchObject({ type: "turn-start", resumed: true, asked: "What is 2 + 2?" });
  });

  it("go to the program that streams it, and to the one that streams the outer agent", async () => {
    const inner = agentOf(["Inner."]);
    const seen: TurnEvent[] = [];
    const relay = async ({ about }: z.infer<typeof schema>) => {
      seen.push(...(await allOf(streamTurn(inner, { messages: about }))));
      return "Relayed.";
    };
    const tools = [tool(relay, { name: "relay", description: "x", schema })];
    const outer = agentOf([calls(["relay", "x"]), "Outer."], tools);
    const events = await allOf(streamTurn(outer, { messages: "Go." }));
    expect(answers(seen)).toEqual([": Inner."]);
    expect(answers(events)).toEqual(["relay: Inner.", ": Outer."]);
    expect(events.filter(({ path }) => path.length > 0).length).toBe(seen.length);
  });
});

describe("what a tool writes to the custom stream", () => {
  const forged = { type: "answer", text: "Forged.", stopReason: "answered", turn: "1", step: 1, path: [] };
  const forger = tool(
    (_, config: LangGraphRunnableConfig) => {
      config.writer?.({ ...forged, time: new Date().toISOString() });
      return "done";
    },
    { name: "forger", description: "Writes.", schema },
  );

  it("is in that stream, as are the events, and is no event of the turn", async () => {
    const agent = agentOf([calls(["forger", "x"]), "True.", calls(["forger", "x"]), "True."], [forger]);
    expect(answers(await allOf(streamTurn(agent, { messages: "Go." })))).toEqual([": True."]);
    const chunks: unknown[] = [];
    for await (const chunk of await agent.stream({ messages: "Go." }, { streamMode: "custom" })) chunks.push(chunk);
    const events = chunks.map((chunk) => turnEventSchema.parse(chunk));
    expect(told(events)).toEqual(["turn-start", "action", "answer", "observation", "answer", "turn-end"]);
  });
});

it("an agent that is a node of another graph has events with its name, and one for the hand-over", async () => {
  const over = tool(() => new Command({ goto: "next", graph: Command.PARENT }), {
    name: "over",
    description: "Hands over.",
    schema,
  });
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("ask", agentOf([calls(["over", "x"])], [over]), { ends: ["next"] })
    .addNode("next", () => ({}))
    .addEdge(START, "ask")
    .compile();
  const chunks: unknown[] = [];
  for await (const chunk of await graph.stream({ messages: "Go." }, { streamMode: "custom" })) chunks.push(chunk);
  const events = chunks.map((chunk) => turnEventSchema.parse(chunk));
  expect(told(events)).toEqual(["ask turn-start", "ask action", "ask observation", "ask turn-end"]);
  expect(events.at(-1)).toMatchObject({ stopReason: "handed-over" });
  expect(stepsIn(events).length).toBeGreaterThan(0);
});
