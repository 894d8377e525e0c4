import { tool } from "@langchain/core/tools";
import { Command, interrupt, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { RESUME } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  approvalRequests,
  createAgent,
  createRetrievalAgent,
  decide,
  NotWaitingError,
  openThreads,
  regenerate,
  streamTurn,
  webSearch,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";

const thread = { configurable: { thread_id: "t" } };
const call = { tool_calls: [{ name: "refund", args: {} }] };
const refused = { type: "refuse", reason: "No." } as const;

function refunding(replies: readonly ScriptedReply[], options: Partial<AgentOptions>) {
  let refunds = 0;
  const refund = tool(() => `refund ${++refunds}`, { name: "refund", description: "Refunds.", schema: z.object({}) });
  const model = scriptedModel(replies);
  const agent = createAgent({ model, tools: [refund], protocol: "tool-calling", approve: "always", ...options });
  return { agent, refunds: () => refunds };
}

type Refunding = ReturnType<typeof refunding>["agent"];

/** Asks, and returns the id of the call that waits. */
async function asked(agent: Refunding): Promise<string> {
  const [request] = approvalRequests(await agent.invoke({ messages: "Refund." }, thread));
  return request?.id ?? "";
}

const ended = 'The thread "t" does not wait for this decision: its last turn has ended.';

describe.each(matrix(savers, memorySaver))(
  "a decision that comes too late, with a thread kept by $kept,",
  ({ open }) => {
    it("is an error through every door, and changes nothing", async () => {
      const checkpointer = await open();
      const { agent, refunds } = refunding([call, "Done."], { checkpointer });
      const id = await asked(agent);
      const approval = decide({ [id]: "approve" });
      await agent.invoke(approval, thread);
      const before = await checkpointer.getTuple(thread);
      const events: string[] = [];
      const resuming = (resume: unknown) => agent.invoke(new Command({ resume }), thread);
      const doors: Record<string, () => Promise<unknown>> = {
        invoke: () => agent.invoke(decide({ [id]: refused }), thread),
        "a bare answer": () => resuming("yes"),
        "the id of a question": () => resuming({ ["0".repeat(32)]: "yes" }),
        "LangChain's form": () => resuming({ decisions: [refused] }),
        stream: async () => (await agent.stream(approval, thread)).next(),
        streamEvents: () => agent.streamEvents(approval, { ...thread, version: "v2" }).next(),
        batch: () => agent.batch([approval], thread),
        streamTurn: async () => {
          for await (const { type } of streamTurn(agent, approval, thread)) events.push(type);
        },
      };
      const error = { name: "NotWaitingError", code: "not-waiting", threadId: "t", message: ended, waiting: [] };
      for (const [door, late] of Object.entries(doors)) await expect(late(), door).rejects.toMatchObject(error);
      expect(events).toEqual(["error"]);
      expect(await checkpointer.getTuple(thread)).toEqual(before);
      expect(refunds()).toBe(1);
    });

    it("names the calls that wait instead, and leaves the interrupt unchanged", async () => {
      const { agent, refunds } = refunding([call, call, "Done."], { checkpointer: await open() });
      const first = await asked(agent);
      const [second] = approvalRequests(await agent.invoke(decide({ [first]: "approve" }), thread));
      const waiting = await agent.getState(thread);
      await expect(agent.invoke(decide({ [first]: "approve" }), thread)).rejects.toMatchObject({
        name: "NotWaitingError",
        reason: `it waits for one about ${second?.id}`,
        waiting: [second?.id],
      });
      expect(await agent.getState(thread)).toEqual(waiting);
      const state = await agent.invoke(decide({ [first]: "approve", [second?.id ?? ""]: "refuse" }), thread);
      expect([state.answer, refunds()]).toEqual(["Done.", 1]);
    });

    it("for a call of an old answer is not used for the call of a regenerated answer", async () => {
      const { agent, refunds } = refunding([call, call], { checkpointer: await open() });
      const first = await asked(agent);
      await regenerate(agent, "t");
      await expect(agent.invoke(decide({ [first]: "approve" }), thread)).rejects.toThrow(NotWaitingError);
      expect(refunds()).toBe(0);
    });

    it("from the checkpoint that a page still shows, does not begin a branch", async () => {
      const { agent, refunds } = refunding([call, "Done."], { checkpointer: await open() });
      const id = await asked(agent);
      const { config } = await agent.getState(thread);
      await agent.invoke(decide({ [id]: refused }), thread);
      const late = agent.invoke(decide({ [id]: "approve" }), config);
      await expect(late).rejects.toThrow("the question at this checkpoint is answered already");
      expect(refunds()).toBe(0);
    });

    it("of a turn that was stopped elsewhere, says how to go on", async () => {
      const options = { checkpointer: await open(), modelCalls: { maxRetries: 0 } };
      const { agent } = refunding([new Error("down"), "Done."], options);
      await agent.invoke({ messages: "Refund." }, thread).catch(() => undefined);
      const late = agent.invoke(decide({ "1a-1": "approve" }), thread);
      await expect(late).rejects.toThrow("its last turn was stopped, and agent.invoke(null, config) resumes it.");
      expect((await agent.invoke(null, thread)).answer).toBe("Done.");
    });

    it("is accepted when it is sent again because its first run was killed", async () => {
      const checkpointer = await open();
      const { agent, refunds } = refunding([call, "Done."], { checkpointer });
      const id = await asked(agent);
      const tuple = await checkpointer.getTuple(thread);
      const question = (await agent.getState(thread)).tasks[0]?.interrupts[0]?.id ?? "";
      await checkpointer.putWrites(tuple?.config ?? {}, [[RESUME, [{ [id]: "approve" }]]], question);
      expect((await agent.invoke(decide({ [id]: "approve" }), thread)).answer).toBe("Done.");
      expect(refunds()).toBe(1);
    });

    it("to a missing thread creates no thread", async () => {
      const checkpointer = await open();
      const { agent } = refunding([], { checkpointer });
      const retriever = webSearch({ provider: "wikipedia" });
      const retrieval = createRetrievalAgent({ model: scriptedModel([]), retriever, checkpointer });
      for (const run of [agent, retrieval]) {
        const late = run.invoke(decide({ "1a-1": "approve" }), thread);
        await expect(late).rejects.toThrow("does not wait for this decision: nothing was asked there yet.");
      }
      expect(await checkpointer.getTuple(thread)).toBeUndefined();
    });
  },
);

describe("a question that another graph asks", () => {
  const described = { name: "refund", description: "Asks.", schema: z.object({}) };
  const sure = tool(() => `they said ${interrupt("Sure?")}`, described);
  const asking = () =>
    createAgent({ model: scriptedModel([call, "Inside."]), tools: [sure], protocol: "tool-calling" });

  it("in a tool is answered in any form, and once", async () => {
    await using threads = await openThreads("memory:");
    const inner = asking();
    const hand = tool(async () => (await inner.invoke({ messages: "Go." })).answer, described);
    const model = scriptedModel([call, "Outside."]);
    const agent = createAgent({ model, tools: [hand], protocol: "tool-calling", checkpointer: threads.checkpointer });
    await agent.invoke({ messages: "Go." }, thread);
    const id = (await agent.getState(thread)).tasks[0]?.interrupts[0]?.id ?? "";
    const wrong = agent.invoke(new Command({ resume: { ["0".repeat(32)]: "yes" } }), thread);
    await expect(wrong).rejects.toThrow(`it waits for one about ${id}.`);
    expect((await agent.invoke(new Command({ resume: { [id]: "yes" } }), thread)).answer).toBe("Outside.");
    await expect(agent.invoke(new Command({ resume: { [id]: "yes" } }), thread)).rejects.toThrow(NotWaitingError);
  });

  it("whose node is the agent is left to that graph", async () => {
    await using threads = await openThreads("memory:");
    const { checkpointer } = threads;
    const outer = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("agent", asking())
      .addEdge(START, "agent")
      .compile({ checkpointer });
    await outer.invoke({ messages: "Go." }, thread);
    const state = await outer.invoke(new Command({ resume: "yes" }), thread);
    expect(state.messages.at(-1)?.text).toBe("Inside.");
  });
});
