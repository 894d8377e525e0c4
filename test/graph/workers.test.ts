import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, INTERRUPT, isInterrupted, MemorySaver } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readApproval } from "../../src/core/state/approval.js";
import { createAgent } from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";

const thread = { configurable: { thread_id: "team" } };
let calls = 0;
const call = (name: string, args: Record<string, unknown> = {}) => ({
  tool_calls: [{ name, args, id: `call-${++calls}` }],
});

function worker(
  name: string,
  replies: readonly ScriptedReply[],
  tools: Parameters<typeof createAgent>[0]["tools"] = [],
) {
  const model = scriptedModel(replies);
  return { model, agent: createAgent({ name, model, tools, protocol: "tool-calling", rephrase: false }) };
}

/** The types of both packages take only graphs whose state is `MessagesAnnotation`, though they run others. */
type Workers = Parameters<typeof createSwarm>[0]["agents"];

function spoken(messages: readonly BaseMessage[]): string[] {
  return messages.filter(({ text }) => text !== "").map(({ name, type, text }) => `${name ?? type}: ${text}`);
}

describe("a supervisor whose workers are agents", () => {
  it("hands over to each and reads their answers, in the next turn, too", async () => {
    const add = tool(({ a, b }) => String(a + b), {
      name: "add",
      description: "Adds two numbers.",
      schema: z.object({ a: z.number(), b: z.number() }),
    });
    const maths = worker("maths", [call("add", { a: 2, b: 3 }), "It is 5.", "It is 7."], [add]);
    const poet = worker("poet", ["Five, alive."]);
    const replies = [call("transfer_to_maths"), call("transfer_to_poet"), "5. Five, alive."];
    const llm = scriptedModel([...replies, call("transfer_to_maths"), "7."]);
    const agents = [maths.agent, poet.agent] as unknown as Workers;
    const team = createSupervisor({ agents, llm, addHandoffBackMessages: false });
    const graph = team.compile({ checkpointer: new MemorySaver() });
    const first = await graph.invoke({ messages: [{ role: "user", content: "2 + 3, in a rhyme?" }] }, thread);
    expect(spoken(first.messages)).toEqual([
      "human: 2 + 3, in a rhyme?",
      "transfer_to_maths: Successfully transferred to maths",
      "maths: It is 5.",
      "transfer_to_poet: Successfully transferred to poet",
      "poet: Five, alive.",
      "supervisor: 5. Five, alive.",
    ]);
    expect(poet.model.calls[0]?.messages.map(({ type, text }) => [type, text])).toEqual([
      ["human", "2 + 3, in a rhyme?"],
      ["human", "Result of transfer_to_maths: Successfully transferred to maths"],
      ["human", "maths: It is 5."],
      ["human", "Result of transfer_to_poet: Successfully transferred to poet"],
    ]);
    const second = await graph.invoke({ messages: [{ role: "user", content: "And 3 + 4?" }] }, thread);
    expect(spoken(second.messages).slice(6)).toEqual([
      "human: And 3 + 4?",
      "transfer_to_maths: Successfully transferred to maths",
      "maths: It is 7.",
      "supervisor: 7.",
    ]);
    expect(maths.model.calls.at(-1)?.messages.map(({ type, text }) => [type, text])).toEqual([
      ["system", expect.any(String)],
      ["human", "2 + 3, in a rhyme?"],
      ["human", "Result of transfer_to_maths: Successfully transferred to maths"],
      ["ai", "It is 5."],
      ["human", "Result of transfer_to_poet: Successfully transferred to poet"],
      ["human", "poet: Five, alive."],
      ["human", "supervisor: 5. Five, alive."],
      ["human", "And 3 + 4?"],
      ["human", "Result of transfer_to_maths: Successfully transferred to maths"],
    ]);
    for (const model of [maths.model, poet.model, llm]) model.assertComplete();
  });

  it("interrupts once when a worker asks a person, and resumes from there", async () => {
    const paid: string[] = [];
    const pay = tool(() => String(paid.push("rent")), {
      name: "pay",
      description: "Pays.",
      schema: z.object({}),
      metadata: { effects: true, approve: true },
    });
    const clerk = worker("clerk", [call("pay"), "Paid."], [pay]);
    const llm = scriptedModel([call("transfer_to_clerk"), "The rent is paid."]);
    const graph = createSupervisor({ agents: [clerk.agent] as unknown as Workers, llm }).compile({
      checkpointer: new MemorySaver(),
    });
    const stopped = await graph.invoke({ messages: [{ role: "user", content: "Pay the rent." }] }, thread);
    const questions = isInterrupted(stopped) ? stopped[INTERRUPT] : [];
    const [request] = questions.flatMap(({ value }) => readApproval(value)?.requests ?? []);
    expect({ count: questions.length, tool: request?.tool, paid }).toEqual({ count: 1, tool: "pay", paid: [] });
    const { messages } = await graph.invoke(new Command({ resume: { [request?.id ?? ""]: "approve" } }), thread);
    expect({ last: messages.at(-1)?.text, paid }).toEqual({ last: "The rent is paid.", paid: ["rent"] });
    for (const model of [clerk.model, llm]) model.assertComplete();
  });
});

it("a swarm of agents hands over, and the agent that took over gets the next turn", async () => {
  const alice = worker("alice", [call("transfer_to_bob"), "Alice again."], [createHandoffTool({ agentName: "bob" })]);
  const bob = worker("bob", ["Ahoy.", call("transfer_to_alice")], [createHandoffTool({ agentName: "alice" })]);
  const agents = [alice.agent, bob.agent] as unknown as Workers;
  const graph = createSwarm({ agents, defaultActiveAgent: "alice" }).compile({ checkpointer: new MemorySaver() });
  const turn = async (content: string) => {
    const { activeAgent, messages } = await graph.invoke({ messages: [{ role: "user", content }] }, thread);
    return { activeAgent, messages: spoken(messages) };
  };
  expect(await turn("To Bob, please.")).toEqual({
    activeAgent: "bob",
    messages: ["human: To Bob, please.", "transfer_to_bob: Successfully transferred to bob", "bob: Ahoy."],
  });
  const { activeAgent, messages } = await turn("Back to Alice.");
  expect({ activeAgent, messages: messages.slice(3) }).toEqual({
    activeAgent: "alice",
    messages: ["human: Back to Alice.", "transfer_to_alice: Successfully transferred to alice", "alice: Alice again."],
  });
  for (const { model } of [alice, bob]) model.assertComplete();
});
