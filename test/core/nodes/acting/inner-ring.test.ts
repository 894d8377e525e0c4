import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  approvalRequests,
  createAgent,
  decide,
  type MiddlewareFunctions,
  type WrappedCall,
} from "../../../../src/index.js";
import { scriptedModel } from "../../../../src/testing/index.js";

const thread = { configurable: { thread_id: "1" } };
const schema = z.object({ to: z.string() });
const paid: string[] = [];
const pay = (metadata: Record<string, unknown> = { effects: true }) =>
  tool(
    ({ to }) => {
      paid.push(to);
      if (to === "Nobody") throw new Error("There is nobody.");
      return `Paid ${to}.`;
    },
    { name: "pay", description: "Pays.", schema, metadata },
  );
const look = tool(({ to }) => `${to} is there.`, { name: "look", description: "Looks.", schema });

type Around = MiddlewareFunctions["wrapToolCall"];

/** An agent with a middleware around its tools. Its model makes a call, and then answers. */
function wrapped(
  [name, to]: readonly [name: string, to: string],
  wrapToolCall: Around,
  options: Partial<AgentOptions> = {},
) {
  paid.length = 0;
  const turn = [{ tool_calls: [{ name, args: { to }, id: "call" }] }, "Done."];
  const model = scriptedModel([...turn, ...turn]);
  const checkpointer = new MemorySaver();
  const middleware = [{ name: "test", wrapToolCall }];
  return { agent: createAgent({ model, tools: [pay(), look], checkpointer, middleware, ...options }), checkpointer };
}

const resultsIn = (messages: readonly BaseMessage[]) =>
  messages.filter(ToolMessage.isInstance).map(({ text, status }) => `${status}: ${text}`);
const to = (request: WrappedCall, name: string) => ({
  ...request,
  toolCall: { ...request.toolCall, args: { to: name } },
});
const twice: Around = async (request, next) =>
  next(request)
    .catch(() => undefined)
    .then(() => next(request));
const refused =
  "pay was not run. A part of this agent changed the call after it was decided, so that it is not what was approved.";

describe("around a tool with effects, a wrapper", () => {
  it.each<[string, readonly [string, string], Around, Partial<AgentOptions>, string[], string]>([
    [
      "changes an input that a person approved: it is not called",
      ["pay", "Ann"],
      (request, next) => next(to(request, "Eve")),
      { approve: "effects" },
      [],
      `error: ${refused}`,
    ],
    [
      "changes an input that nobody decides about",
      ["pay", "Ann"],
      (request, next) => next(to(request, "Eve")),
      {},
      ["Eve"],
      "success: Paid Eve.",
    ],
    [
      "puts it in the place of a tool that nobody decides about",
      ["look", "Ann"],
      (request, next) => next({ ...request, tool: pay() }),
      { approve: "effects" },
      [],
      `error: ${refused}`,
    ],
    [
      "throws: its error is the observation",
      ["pay", "Ann"],
      () => Promise.reject(new Error("Closed.")),
      {},
      [],
      "error: pay failed with Error: Closed. Try another input or another way, or give the final answer with what you know.",
    ],
    ["calls it twice: it is called once", ["pay", "Ann"], twice, {}, ["Ann"], "success: Paid Ann."],
    [
      "calls it again after an error: it gets the error again",
      ["pay", "Nobody"],
      twice,
      {},
      ["Nobody"],
      "error: pay failed with Error: There is nobody. Try another input or another way, or give the final answer with what you know.",
    ],
    [
      "calls it again although it may be repeated",
      ["pay", "Ann"],
      twice,
      { tools: [pay({ effects: true, idempotent: true })] },
      ["Ann", "Ann"],
      "success: Paid Ann.",
    ],
    [
      "calls it again with another input",
      ["pay", "Ann"],
      async (request, next) => [await next(request), next(to(request, "Eve"))].at(-1),
      {},
      ["Ann"],
      "error: pay was not run. It has effects, and was called with another input already.",
    ],
  ])("%s", async (_, call, wrap, options, expected, result) => {
    const { agent } = wrapped(call, wrap, options);
    let state = await agent.invoke({ messages: "Go." }, thread);
    const [request] = approvalRequests(state);
    if (request) state = await agent.invoke(decide({ [request.id]: "approve" }), thread);
    expect(paid).toEqual(expected);
    expect(resultsIn(state.messages)).toEqual([result]);
  });

  it("does not call it: nothing is on record as begun", async () => {
    const { agent, checkpointer } = wrapped(["pay", "Ann"], async () => "Made up.");
    const { messages } = await agent.invoke({ messages: "Go." }, thread);
    expect(resultsIn(messages)).toEqual(["success: Made up."]);
    expect([paid, JSON.stringify(checkpointer.writes).includes("__glassloop_begun")]).toEqual([[], false]);
  });

  it("is called with the input that a person chose, and not for a call that a person refused", async () => {
    const seen: unknown[] = [];
    const watch: Around = (request, next) => {
      seen.push(request.toolCall.args);
      return next(request);
    };
    const { agent } = wrapped(["pay", "Ann"], watch, { approve: "effects" });
    for (const decision of ["refuse", { type: "edit", input: { to: "Bob" } }] as const) {
      const [request] = approvalRequests(await agent.invoke({ messages: "Go." }, thread));
      expect(seen).toEqual([]);
      await agent.invoke(decide({ [request?.id ?? ""]: decision }), thread);
    }
    expect([seen, paid]).toEqual([[{ to: "Bob" }], ["Bob"]]);
  });
});
