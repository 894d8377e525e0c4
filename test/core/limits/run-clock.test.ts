import { EventEmitter, once } from "node:events";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesValue, Send, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { type AgentOptions, approvalRequests, createAgent, decide, openThreads } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

const thread = { configurable: { thread_id: "t" } };
const minute = 60_000;

/** Returns a function that puts the clock of this process on. */
function movableClock(): (milliseconds: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
  onTestFinished(() => clock.mockRestore());
  return (milliseconds) => {
    ahead += milliseconds;
  };
}

const call = (name: string) => ({ tool_calls: [{ name, args: {} }] });

/** Makes an agent with a tool that does something. */
function working(
  work: () => unknown,
  replies: Parameters<typeof scriptedModel>[0],
  options: Partial<AgentOptions> = {},
) {
  const job = tool(async () => `${await work()}`, { name: "job", description: "Works.", schema: z.object({}) });
  const model = scriptedModel(replies);
  return createAgent({
    model,
    tools: [job],
    protocol: "tool-calling",
    modelCalls: { maxRetries: 0 },
    rephrase: false,
    ...options,
  });
}

const minutesOf = ({ workedMs }: { readonly workedMs: number }) => Math.floor(workedMs / minute);

describe("the time of a turn", () => {
  it("includes the time of the checkpointer between the nodes", async () => {
    const putOn = movableClock();
    class SlowSaver extends MemorySaver {
      override put(...given: Parameters<MemorySaver["put"]>) {
        putOn(minute);
        return super.put(...given);
      }
    }
    const replies = [call("job"), call("job"), "As far as I know, two."];
    const agent = working(() => "done", replies, { checkpointer: new SlowSaver(), limits: { maxTurnMs: 10 * minute } });
    const state = await agent.invoke({ messages: "Go." }, thread);
    expect(state).toMatchObject({ stopReason: "time-limit", answer: "As far as I know, two." });
    expect(minutesOf(state)).toBeGreaterThanOrEqual(8);
  });

  it("includes the time of the checkpointer before the first node", async () => {
    const putOn = movableClock();
    class SlowSaver extends MemorySaver {
      override getTuple(...given: Parameters<MemorySaver["getTuple"]>) {
        putOn(minute);
        return super.getTuple(...given);
      }
    }
    const options = { checkpointer: new SlowSaver(), limits: { maxTurnMs: minute, earlyStopping: "force" as const } };
    const state = await working(() => "done", [], options).invoke({ messages: "Go." }, thread);
    expect(state).toMatchObject({ stopReason: "time-limit", answer: expect.stringMatching(/the 60 s/) });
  });

  it("excludes the wait for a person and the pause before the resume", async () => {
    const putOn = movableClock();
    const done = working(() => "done", [call("job"), "Done."], {
      checkpointer: new MemorySaver(),
      approve: "always",
      limits: { maxTurnMs: 10 * minute },
    });
    const [request] = approvalRequests(await done.invoke({ messages: "Go." }, thread));
    putOn(100 * minute);
    const state = await done.invoke(decide({ [request?.id ?? ""]: { type: "approve" } }), thread);
    expect(state).toMatchObject({ stopReason: "answered", answer: "Done." });
    expect(minutesOf(state)).toBe(0);
  });

  it("excludes the wait for a thread that another run holds", async () => {
    const putOn = movableClock();
    const threads = await openThreads("memory:");
    const gate = new EventEmitter();
    const begun = once(gate, "begun");
    const opened = once(gate, "opened");
    const work = async () => {
      gate.emit("begun");
      await opened;
      putOn(100 * minute);
    };
    const options = { checkpointer: threads.checkpointer, multitaskStrategy: "enqueue" as const };
    const first = working(work, [call("job"), "One."], options).invoke({ messages: "First." }, thread);
    await begun;
    const second = working(work, ["Two."], { ...options, limits: { maxTurnMs: minute } }).invoke(
      { messages: "Second." },
      thread,
    );
    gate.emit("opened");
    expect(minutesOf(await first)).toBe(100);
    const state = await second;
    expect(state).toMatchObject({ stopReason: "answered", answer: "Two." });
    expect(minutesOf(state)).toBe(0);
    await threads.close();
  });
});

describe("the time of a turn with several runs", () => {
  /** Runs a turn that is stopped after a call of five minutes, and goes on with another one after a long pause. */
  async function stopped(stop: (cancelling: AbortController) => string, minutes: number) {
    const putOn = movableClock();
    const cancelling = new AbortController();
    const last = () => {
      putOn(3 * minute);
      return stop(cancelling);
    };
    const work = () => putOn(5 * minute);
    const replies = [call("job"), last, call("job"), "Ended."];
    const agent = working(work, replies, { checkpointer: new MemorySaver(), limits: { maxTurnMs: 100 * minute } });
    const running = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
    await expect(running).rejects.toThrow();
    putOn(1_000 * minute);
    const state = await agent.invoke(null, thread);
    expect(state).toMatchObject({ stopReason: "answered", answer: "Ended." });
    expect(minutesOf(state)).toBe(minutes);
  }

  it("is the sum of the runs, if one of them was cancelled", () =>
    stopped((cancelling) => {
      cancelling.abort(new Error("enough"));
      return "too late";
    }, 13));

  it("is that of the checkpoints, if a run failed before it spent time", () =>
    stopped(() => {
      throw new Error("The model is gone.");
    }, 10));

  it("is the sum of the runs, if many of them were cancelled at the same step", async () => {
    const putOn = movableClock();
    const threads = await openThreads("memory:");
    let cancelling = new AbortController();
    const cancelled = () => {
      putOn(3 * minute);
      cancelling.abort(new Error("enough"));
      return "too late";
    };
    const replies = [...Array<typeof cancelled>(8).fill(cancelled), "Ended."];
    const agent = working(() => "done", replies, { checkpointer: threads.checkpointer });
    for (const input of [{ messages: "Go." }, ...Array<null>(7).fill(null)]) {
      cancelling = new AbortController();
      await expect(agent.invoke(input, { ...thread, signal: cancelling.signal })).rejects.toThrow("enough");
    }
    expect(minutesOf(await agent.invoke(null, thread))).toBe(24);
    await threads.close();
  });

  it("ends the turn at its limit, also if no single run took so long", async () => {
    const putOn = movableClock();
    const fails = (): string => {
      throw new Error("The model is gone.");
    };
    const replies = [call("job"), fails, call("job"), "As far as I know."];
    const options = { checkpointer: new MemorySaver(), limits: { maxTurnMs: 10 * minute } };
    const agent = working(() => putOn(4.5 * minute), replies, options);
    await expect(agent.invoke({ messages: "Go." }, thread)).rejects.toThrow("gone");
    const state = await agent.invoke(null, thread);
    expect(state).toMatchObject({ stopReason: "time-limit", answer: "As far as I know." });
  });
});

describe("the time of a turn in another graph", () => {
  it("is that of its own run, in a tool", async () => {
    const putOn = movableClock();
    const inner = working(() => putOn(5 * minute), [call("job"), "Inner."], { limits: { maxTurnMs: 10 * minute } });
    const work = async () => {
      putOn(20 * minute);
      const state = await inner.invoke({ messages: "Go." });
      return `${state.stopReason} ${minutesOf(state)}`;
    };
    const state = await working(work, [call("job"), "Outer."]).invoke({ messages: "Go." });
    expect(state.intermediateSteps[0]?.results[0]?.observation).toBe("answered 5");
    expect(minutesOf(state)).toBe(25);
  });

  it("excludes the wait for a person, in a node", async () => {
    const putOn = movableClock();
    const options = { approve: "always" as const, limits: { maxTurnMs: 10 * minute } };
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode(
        "agent",
        working(() => "done", [call("job"), "Done."], options),
      )
      .addEdge(START, "agent")
      .addEdge("agent", END)
      .compile({ checkpointer: new MemorySaver() });
    const [request] = approvalRequests(await graph.invoke({ messages: [new HumanMessage("Go.")] }, thread));
    putOn(100 * minute);
    const state = await graph.invoke(decide({ [request?.id ?? ""]: { type: "approve" } }), thread);
    expect(state.messages.at(-1)?.text).toBe("Done.");
  });

  it("is that of its own run, in nodes one after another and side by side", async () => {
    const putOn = movableClock();
    const minutes: number[] = [];
    const one = () => working(() => putOn(5 * minute), [call("job"), "Done."], { limits: { maxTurnMs: 30 * minute } });
    const asNode = () => async (state: { messages: typeof MessagesValue.ValueType }) => {
      const ended = await one().invoke({ messages: state.messages });
      expect(ended.stopReason).toBe("answered");
      minutes.push(minutesOf(ended));
      return {};
    };
    const go = { messages: [new HumanMessage("Go.")] };
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("first", asNode())
      .addNode("beside", asNode())
      .addEdge(START, "first")
      .addConditionalEdges("first", () => [new Send("beside", go), new Send("beside", go)], ["beside"])
      .addEdge("beside", END)
      .compile({ checkpointer: new MemorySaver() });
    putOn(1_000 * minute);
    await graph.invoke(go, thread);
    expect(minutes[0]).toBe(5);
    for (const besides of minutes.slice(1)) expect(besides).toBeLessThanOrEqual(10);
  });
});
