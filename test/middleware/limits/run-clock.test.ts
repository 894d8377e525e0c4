import { EventEmitter, once } from "node:events";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, approvalRequests, createAgent, decide, openThreads } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { putClockOn } from "./clock.js";

const thread = { configurable: { thread_id: "t" } };
const minute = 60_000;

const call = (name: string) => ({ tool_calls: [{ name, args: {} }] });

/** Makes an agent with a tool that does something. */
function working(
  work: () => unknown,
  replies: Parameters<typeof scriptedModel>[0],
  options: Partial<AgentOptions> = {},
) {
  const job = tool(async () => `${await work()}`, { name: "job", description: "Works.", schema: z.object({}) });
  const own = { tools: [job], protocol: "tool-calling", modelCalls: { maxRetries: 0 }, rephrase: false } as const;
  return createAgent({ model: scriptedModel(replies), ...own, ...options });
}

const minutesOf = ({ workedMs }: { readonly workedMs: number }) => Math.floor(workedMs / minute);

describe("the time of a turn", () => {
  it("includes the time of the checkpointer between the nodes", async () => {
    class SlowSaver extends MemorySaver {
      override put(...given: Parameters<MemorySaver["put"]>) {
        putClockOn(minute);
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
    class SlowSaver extends MemorySaver {
      override getTuple(...given: Parameters<MemorySaver["getTuple"]>) {
        putClockOn(minute);
        return super.getTuple(...given);
      }
    }
    const options = { checkpointer: new SlowSaver(), limits: { maxTurnMs: minute, earlyStopping: "force" as const } };
    const state = await working(() => "done", [], options).invoke({ messages: "Go." }, thread);
    expect(state).toMatchObject({ stopReason: "time-limit", answer: expect.stringMatching(/the 60 s/) });
  });

  it("excludes the wait for a person and the pause before the resume", async () => {
    const limits = { maxTurnMs: 10 * minute };
    const options = { checkpointer: new MemorySaver(), approve: "always" as const, limits };
    const done = working(() => "done", [call("job"), "Done."], options);
    const [request] = approvalRequests(await done.invoke({ messages: "Go." }, thread));
    putClockOn(100 * minute);
    const state = await done.invoke(decide({ [request?.id ?? ""]: { type: "approve" } }), thread);
    expect(state).toMatchObject({ stopReason: "answered", answer: "Done." });
    expect(minutesOf(state)).toBe(0);
  });

  it("excludes the wait for a thread that another run holds", async () => {
    const threads = await openThreads("memory:");
    const gate = new EventEmitter();
    const begun = once(gate, "begun");
    const opened = once(gate, "opened");
    const work = async () => {
      gate.emit("begun");
      await opened;
      putClockOn(100 * minute);
    };
    const options = { checkpointer: threads.checkpointer, multitaskStrategy: "enqueue" as const };
    const first = working(work, [call("job"), "One."], options).invoke({ messages: "First." }, thread);
    await begun;
    const waiting = working(work, ["Two."], { ...options, limits: { maxTurnMs: minute } });
    const second = waiting.invoke({ messages: "Second." }, thread);
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
    const cancelling = new AbortController();
    const last = () => {
      putClockOn(3 * minute);
      return stop(cancelling);
    };
    const work = () => putClockOn(5 * minute);
    const replies = [call("job"), last, call("job"), "Ended."];
    const agent = working(work, replies, { checkpointer: new MemorySaver(), limits: { maxTurnMs: 100 * minute } });
    const running = agent.invoke({ messages: "Go." }, { ...thread, signal: cancelling.signal });
    await expect(running).rejects.toThrow();
    putClockOn(1_000 * minute);
    const state = await agent.invoke(null, thread);
    expect(state).toMatchObject({ stopReason: "answered", answer: "Ended." });
    expect(minutesOf(state)).toBe(minutes);
  }

  it("is the sum of the runs, if one of them was cancelled", () =>
    stopped((cancelling) => {
      cancelling.abort(new Error("enough"));
      return "too late";
    }, 13));

  it("is the sum of the runs, if one of them failed", () =>
    stopped(() => {
      throw new Error("The model is gone.");
    }, 13));

  it("is the sum of the runs, if many of them were cancelled at the same step", async () => {
    const threads = await openThreads("memory:");
    let cancelling = new AbortController();
    const cancelled = () => {
      putClockOn(3 * minute);
      cancelling.abort(new Error("enough"));
      return "too late";
    };
    const agent = working(() => "done", [cancelled, cancelled, cancelled, "Ended."], {
      checkpointer: threads.checkpointer,
    });
    for (const input of [{ messages: "Go." }, null, null]) {
      cancelling = new AbortController();
      await expect(agent.invoke(input, { ...thread, signal: cancelling.signal })).rejects.toThrow("enough");
    }
    expect(minutesOf(await agent.invoke(null, thread))).toBe(9);
    await threads.close();
  });
});

it("the time of a turn in a tool is that of its own run", async () => {
  const limits = { maxTurnMs: 10 * minute };
  const inner = working(() => putClockOn(5 * minute), [call("job"), "Inner."], { limits });
  const work = async () => {
    putClockOn(20 * minute);
    const state = await inner.invoke({ messages: "Go." });
    return `${state.stopReason} ${minutesOf(state)}`;
  };
  const state = await working(work, [call("job"), "Outer."]).invoke({ messages: "Go." });
  expect(state.intermediateSteps[0]?.results[0]?.observation).toBe("answered 5");
  expect(minutesOf(state)).toBe(25);
});
