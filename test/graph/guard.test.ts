import { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  type Agent,
  type AgentOptions,
  createAgent,
  InvalidOptionError,
  streamTurn,
  ThreadError,
  ThreadInUseError,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { coded } from "../helpers/coded.js";

const thread = { configurable: { thread_id: "t1" } };
const answer = " I know\nFinal Answer: done";
const interrupted = "I did not answer this question: the turn was interrupted.";
const ask = " I look\nAction: look\nAction Input: up";

let threads: Threads;
beforeEach(async () => {
  threads = await openThreads("memory:");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await threads.close();
});

function makeAgent(options: Omit<AgentOptions, "protocol" | "rephrase">) {
  return createAgent({ protocol: "react", rephrase: false, checkpointer: threads.checkpointer, ...options });
}

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A model that says when it is asked first, and waits for leave to reply. The later replies come at once. */
function gatedModel(first: string, ...rest: readonly string[]) {
  const [start, leave] = [gate(), gate()];
  const held = async () => {
    start.open();
    await leave.opened;
    return first;
  };
  return { model: scriptedModel([held, ...rest]), asked: start.opened, open: leave.open };
}

/** A run that holds the thread: it waits in its first model call until it is let go on. */
async function holding(options: Partial<AgentOptions> = {}, ...rest: readonly string[]) {
  const { model, asked, open } = gatedModel(answer, ...rest);
  const stop = new AbortController();
  const agent = makeAgent({ model, ...options });
  const run = agent.invoke({ messages: "1" }, { ...thread, signal: stop.signal });
  await asked;
  return { agent, model, run, open, stop };
}

async function textsOf(agent: Agent): Promise<string[]> {
  const { messages } = z
    .object({ messages: z.array(z.instanceof(BaseMessage)) })
    .parse((await agent.getState(thread)).values);
  return messages.map((message) => message.text);
}

async function readAll(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

async function refusedNow(): Promise<boolean> {
  const other = makeAgent({ model: scriptedModel([answer]) });
  return other.invoke({ messages: "Again" }, thread).then(
    () => false,
    (error: unknown) => {
      if (error instanceof ThreadInUseError) return true;
      throw error;
    },
  );
}

describe("a thread in use", () => {
  it("refuses a second run, updateState and deletion, and does not concern other threads", async () => {
    const { agent, run, open } = await holding();
    const second = makeAgent({ model: scriptedModel([]) }).invoke({ messages: "Again" }, thread);
    await expect(second).rejects.toThrow(ThreadInUseError);
    await expect(second).rejects.toMatchObject({ threadId: "t1", pid: process.pid });
    await expect(second).rejects.toThrow(/multitaskStrategy: "enqueue"/);
    await expect(agent.updateState(thread, { question: "Other?" }, "parse")).rejects.toThrow(ThreadInUseError);
    await expect(threads.delete("t1")).rejects.toThrow(ThreadInUseError);
    const other = makeAgent({ model: scriptedModel([answer]) });
    expect((await other.invoke({ messages: "Go" }, { configurable: { thread_id: "t2" } })).answer).toBe("done");
    open();
    expect((await run).answer).toBe("done");
    await agent.updateState(thread, { answer: "edited" }, "parse");
    expect((await agent.getState(thread)).values.answer).toBe("edited");
    expect(await threads.delete("t1")).toBe(true);
  });

  it("makes runs wait their turn under enqueue, which one call may choose", async () => {
    const { agent, model, run, open } = await holding({}, answer, answer);
    const enqueued = { configurable: { thread_id: "t1", multitask_strategy: "enqueue" } };
    const others = ["2", "3"].map((messages) => agent.invoke({ messages }, enqueued));
    expect(model.calls).toHaveLength(1);
    open();
    await Promise.all([run, ...others]);
    expect(await textsOf(agent)).toEqual(["1", "done", "2", "done", "3", "done"]);
  });

  it("stops waiting when its call is aborted", async () => {
    const { agent, run, open } = await holding({ multitaskStrategy: "enqueue" });
    const impatient = new AbortController();
    const second = agent.invoke({ messages: "2" }, { ...thread, signal: impatient.signal });
    impatient.abort(new Error("no time"));
    await expect(second).rejects.toThrow("no time");
    open();
    expect((await run).turn.asked).toBe("1");
  });

  it("stops its run under interrupt, and keeps the finished steps", async () => {
    const { model, asked } = gatedModel(answer);
    const looked = tool(() => "seen", { name: "look", description: "Looks." });
    const first = makeAgent({ model: scriptedModel([ask, ...model.replies]), tools: [looked] });
    const running = first.invoke({ messages: "1" }, thread);
    const stopped = expect(running).rejects.toThrow(coded(ThreadError, "thread-interrupted"));
    await asked;
    const second = makeAgent({ model: scriptedModel([answer]), multitaskStrategy: "interrupt" });
    expect((await second.invoke({ messages: "2" }, thread)).answer).toBe("done");
    await stopped;
    expect(await textsOf(second)).toEqual(["1", "I look", "seen", interrupted, "2", "done"]);
  });

  it("refuses a strategy that does not exist", async () => {
    const configurable = { thread_id: "t1", multitask_strategy: "shout" };
    const run = makeAgent({ model: scriptedModel([]) }).invoke({ messages: "1" }, { configurable });
    await expect(run).rejects.toThrow(InvalidOptionError);
    await expect(run).rejects.toThrow(/"reject", "enqueue", "interrupt"/);
  });
});

describe("a thread is free again after a run", () => {
  it.each<[string, ScriptedReply[], Parameters<Agent["invoke"]>[0], RegExp]>([
    ["that failed", [new Error("no model")], { messages: "Go" }, /no model/],
    ["whose input was refused", [], { messages: [] }, /no message/],
    ["that ran into its recursion limit", [ask], { messages: "Go" }, /Recursion limit/],
  ])("%s", async (_, replies, input, why) => {
    const run = makeAgent({ model: scriptedModel(replies) }).invoke(input, { ...thread, recursionLimit: 2 });
    await expect(run).rejects.toThrow(why);
    expect(await refusedNow()).toBe(false);
  });

  it("only once an aborted run has stopped writing", async () => {
    const put = ThreadCheckpointer.prototype.put;
    const [writing, leave] = [gate(), gate()];
    // A checkpoint that takes long to write down: the first one with a reply.
    let isFirst = true;
    vi.spyOn(ThreadCheckpointer.prototype, "put").mockImplementation(async function (
      this: ThreadCheckpointer,
      ...given
    ) {
      if (model.calls.length > 0 && isFirst) {
        isFirst = false;
        writing.open();
        await leave.opened;
      }
      return put.apply(this, given);
    });
    const model = scriptedModel([ask, answer]);
    const stop = new AbortController();
    const run = makeAgent({ model }).invoke({ messages: "Go" }, { ...thread, signal: stop.signal });
    await writing.opened;
    stop.abort(new Error("enough"));
    const ended = expect(run).rejects.toThrow("enough");
    expect(await refusedNow()).toBe(true);
    leave.open();
    await ended;
    expect(await refusedNow()).toBe(false);
  });

  it("whose events are no longer read, which stops the run", async () => {
    const { model } = gatedModel(answer);
    for await (const event of streamTurn(makeAgent({ model }), { messages: "Go" }, thread)) {
      if (event.type === "question") break;
    }
    expect(await refusedNow()).toBe(false);
  });

  it("whose stream was cancelled", async () => {
    const { model, asked } = gatedModel(answer);
    const stream = await makeAgent({ model }).stream({ messages: "Go" }, { ...thread, streamMode: "updates" });
    await asked;
    await stream.cancel();
    await expect.poll(refusedNow).toBe(false);
  });

  it("whose stream nobody reads", async () => {
    const { model, asked, open } = gatedModel(ask, answer);
    const stream = await makeAgent({ model }).stream({ messages: "Go" }, { ...thread, streamMode: "updates" });
    await asked;
    expect(await refusedNow()).toBe(true);
    open();
    await expect.poll(refusedNow).toBe(false);
    await stream.cancel();
  });

  it.each<[string, (agent: Agent) => Promise<AsyncIterable<unknown>>]>([
    ["2", async (agent) => agent.streamEvents({ messages: "Go" }, { ...thread, version: "v2" })],
    ["3", async (agent) => agent.streamEvents({ messages: "Go" }, { ...thread, version: "v3" })],
  ])("that was streamed as events of version %s", async (_version, start) => {
    const { model, asked, open } = gatedModel(answer);
    const read = start(makeAgent({ model })).then(readAll);
    await asked;
    expect(await refusedNow()).toBe(true);
    open();
    await read;
    expect(await refusedNow()).toBe(false);
  });
});

it("stores each super-step before the next one, or at the end of the run, as durability says", async () => {
  const saved = async (durability: AgentOptions["durability"], id: string) => {
    const config = { configurable: { thread_id: id } };
    const agent = makeAgent({ model: scriptedModel([answer]), durability });
    expect((await agent.invoke({ messages: "Go" }, config)).answer).toBe("done");
    let checkpoints = 0;
    for await (const _ of agent.getStateHistory(config)) checkpoints += 1;
    return checkpoints;
  };
  expect([await saved(undefined, "t1"), await saved("sync", "t2"), await saved("exit", "t3")]).toEqual([5, 5, 1]);
});

describe("a thread", () => {
  it("can be used by an agent that a tool calls in the same run", async () => {
    const helper = makeAgent({ model: scriptedModel([answer]) });
    const asking = async () => (await helper.invoke({ messages: "Help" })).answer ?? "";
    const delegate = tool(asking, { name: "look", description: "Asks a helper." });
    const agent = makeAgent({ model: scriptedModel([ask, answer]), tools: [delegate] });
    const state = await agent.invoke({ messages: "Go" }, thread);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ observation: "done", status: "success" });
  });

  it("is not held with another checkpointer", async () => {
    const { agent, run, open } = await holding({ checkpointer: new MemorySaver() }, answer);
    expect((await agent.invoke({ messages: "2" }, thread)).answer).toBe("done");
    open();
    await run;
  });
});
