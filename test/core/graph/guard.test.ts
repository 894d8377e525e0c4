import { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
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
} from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { ThreadCheckpointer } from "../../../src/threads/checkpoints/checkpointer.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import { coded } from "../../helpers/coded.js";

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

/** A model that says when it is asked first, and waits for leave to reply. The later replies come at once. */
function gatedModel(replies: readonly string[]) {
  let start = () => {};
  let open = () => {};
  const asked = new Promise<void>((resolve) => {
    start = resolve;
  });
  const leave = new Promise<void>((resolve) => {
    open = resolve;
  });
  const [first = "", ...rest] = replies;
  const model = scriptedModel([
    async () => {
      start();
      await leave;
      return first;
    },
    ...rest,
  ]);
  return { model, asked, open };
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
  it("refuses a second run, and names the process that holds it", async () => {
    const { model, asked, open } = gatedModel([answer]);
    const first = makeAgent({ model }).invoke({ messages: "Go" }, thread);
    await asked;
    const second = makeAgent({ model: scriptedModel([]) }).invoke({ messages: "Again" }, thread);
    await expect(second).rejects.toThrow(ThreadInUseError);
    await expect(second).rejects.toMatchObject({ threadId: "t1", pid: process.pid });
    await expect(second).rejects.toThrow(/multitaskStrategy: "enqueue"/);
    open();
    expect((await first).answer).toBe("done");
    expect(await refusedNow()).toBe(false);
  });

  it("does not concern other threads", async () => {
    const { model, asked, open } = gatedModel([answer]);
    const first = makeAgent({ model }).invoke({ messages: "Go" }, thread);
    await asked;
    const other = makeAgent({ model: scriptedModel([answer]) });
    expect((await other.invoke({ messages: "Go" }, { configurable: { thread_id: "t2" } })).answer).toBe("done");
    open();
    await first;
  });

  it("refuses updateState and deletion", async () => {
    const { model, asked, open } = gatedModel([answer]);
    const agent = makeAgent({ model });
    const run = agent.invoke({ messages: "Go" }, thread);
    await asked;
    await expect(agent.updateState(thread, { question: "Other?" }, "rephrase-question")).rejects.toThrow(
      ThreadInUseError,
    );
    await expect(threads.delete("t1")).rejects.toThrow(ThreadInUseError);
    open();
    await run;
    await agent.updateState(thread, { answer: "edited" }, "parse");
    expect((await agent.getState(thread)).values.answer).toBe("edited");
    expect(await threads.delete("t1")).toBe(true);
  });

  it("makes runs wait their turn under enqueue", async () => {
    const { model, asked, open } = gatedModel([answer, answer, answer]);
    const agent = makeAgent({ model, multitaskStrategy: "enqueue" });
    const first = agent.invoke({ messages: "1" }, thread);
    await asked;
    const others = [agent.invoke({ messages: "2" }, thread), agent.invoke({ messages: "3" }, thread)];
    expect(model.calls).toHaveLength(1);
    open();
    await Promise.all([first, ...others]);
    expect(await textsOf(agent)).toEqual(["1", "done", "2", "done", "3", "done"]);
  });

  it("stops waiting when its call is aborted", async () => {
    const { model, asked, open } = gatedModel([answer]);
    const agent = makeAgent({ model, multitaskStrategy: "enqueue" });
    const first = agent.invoke({ messages: "1" }, thread);
    await asked;
    const impatient = new AbortController();
    const second = agent.invoke({ messages: "2" }, { ...thread, signal: impatient.signal });
    impatient.abort(new Error("no time"));
    await expect(second).rejects.toThrow("no time");
    open();
    expect((await first).turn.asked).toBe("1");
  });

  it("stops its run under interrupt, and keeps the finished steps", async () => {
    const { model, asked } = gatedModel([answer]);
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

  it("can have another strategy in one call", async () => {
    const { model, asked, open } = gatedModel([answer, answer]);
    const agent = makeAgent({ model });
    const first = agent.invoke({ messages: "1" }, thread);
    await asked;
    const second = agent.invoke(
      { messages: "2" },
      { configurable: { thread_id: "t1", multitask_strategy: "enqueue" } },
    );
    open();
    await first;
    expect((await second).turn.number).toBe(2);
  });

  it("refuses a strategy that does not exist", async () => {
    const configurable = { thread_id: "t1", multitask_strategy: "shout" };
    const run = makeAgent({ model: scriptedModel([]) }).invoke({ messages: "1" }, { configurable });
    await expect(run).rejects.toThrow(InvalidOptionError);
    await expect(run).rejects.toThrow(/"reject", "enqueue", "interrupt"/);
  });
});

describe("a thread is free again after a run", () => {
  it("that failed", async () => {
    const agent = makeAgent({ model: scriptedModel([new Error("no model")]) });
    await expect(agent.invoke({ messages: "Go" }, thread)).rejects.toThrow();
    expect(await refusedNow()).toBe(false);
  });

  it("whose input was refused", async () => {
    const agent = makeAgent({ model: scriptedModel([]) });
    await expect(agent.invoke({ messages: [] }, thread)).rejects.toThrow("no message");
    expect(await refusedNow()).toBe(false);
  });

  it("that was aborted", async () => {
    const { model, asked } = gatedModel([answer]);
    const stop = new AbortController();
    const run = makeAgent({ model }).invoke({ messages: "Go" }, { ...thread, signal: stop.signal });
    await asked;
    stop.abort(new Error("enough"));
    await expect(run).rejects.toThrow("enough");
    expect(await refusedNow()).toBe(false);
  });

  it("only once an aborted run has stopped writing", async () => {
    const put = ThreadCheckpointer.prototype.put;
    let letWrite = () => {};
    const leave = new Promise<void>((resolve) => {
      letWrite = resolve;
    });
    let waits = () => {};
    const waiting = new Promise<void>((resolve) => {
      waits = resolve;
    });
    // A checkpoint that takes long to write down: the first one with a reply.
    let isFirst = true;
    vi.spyOn(ThreadCheckpointer.prototype, "put").mockImplementation(async function (
      this: ThreadCheckpointer,
      ...given
    ) {
      if (model.calls.length > 0 && isFirst) {
        isFirst = false;
        waits();
        await leave;
      }
      return put.apply(this, given);
    });
    const model = scriptedModel([ask, answer]);
    const stop = new AbortController();
    const run = makeAgent({ model }).invoke({ messages: "Go" }, { ...thread, signal: stop.signal });
    await waiting;
    stop.abort(new Error("enough"));
    const ended = expect(run).rejects.toThrow("enough");
    expect(await refusedNow()).toBe(true);
    letWrite();
    await ended;
    expect(await refusedNow()).toBe(false);
  });

  it("that ran into its recursion limit", async () => {
    const agent = makeAgent({ model: scriptedModel([ask]) });
    await expect(agent.invoke({ messages: "Go" }, { ...thread, recursionLimit: 2 })).rejects.toThrow(/Recursion limit/);
    expect(await refusedNow()).toBe(false);
  });

  it("whose events are no longer read, which stops the run", async () => {
    const { model } = gatedModel([answer]);
    for await (const event of streamTurn(makeAgent({ model }), { messages: "Go" }, thread)) {
      if (event.type === "question") break;
    }
    expect(await refusedNow()).toBe(false);
  });

  it("whose stream was cancelled", async () => {
    const { model, asked } = gatedModel([answer]);
    const stream = await makeAgent({ model }).stream({ messages: "Go" }, { ...thread, streamMode: "updates" });
    await asked;
    await stream.cancel();
    await expect.poll(refusedNow).toBe(false);
  });

  it("whose stream nobody reads", async () => {
    const { model, asked, open } = gatedModel([ask, answer]);
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
    const { model, asked, open } = gatedModel([answer]);
    const read = start(makeAgent({ model })).then(readAll);
    await asked;
    expect(await refusedNow()).toBe(true);
    open();
    await read;
    expect(await refusedNow()).toBe(false);
  });

  it("that waits for a person, who can answer", async () => {
    const confirm = tool(() => `they said ${interrupt("Sure?")}`, { name: "look", description: "Asks." });
    const agent = makeAgent({ model: scriptedModel([ask, answer]), tools: [confirm] });
    await agent.invoke({ messages: "Go" }, thread);
    expect((await agent.getState(thread)).next).toEqual(["act"]);
    const state = await agent.invoke(new Command({ resume: "yes" }), thread);
    expect(state.intermediateSteps[0]?.results[0]?.observation).toBe("they said yes");
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
    const delegate = tool(async () => (await helper.invoke({ messages: "Help" })).answer ?? "", {
      name: "look",
      description: "Asks a helper.",
    });
    const agent = makeAgent({ model: scriptedModel([ask, answer]), tools: [delegate] });
    const state = await agent.invoke({ messages: "Go" }, thread);
    expect(state.intermediateSteps[0]?.results[0]).toMatchObject({ observation: "done", status: "success" });
  });

  it("is not held without a thread id or with another checkpointer", async () => {
    const { model, asked, open } = gatedModel([answer, answer]);
    const agent = createAgent({ model, protocol: "react", rephrase: false, checkpointer: new MemorySaver() });
    const first = agent.invoke({ messages: "1" }, thread);
    await asked;
    expect((await agent.invoke({ messages: "2" }, thread)).answer).toBe("done");
    open();
    await first;
    const unkept = createAgent({ model: scriptedModel([answer]), protocol: "react" });
    expect((await unkept.invoke({ messages: "1" })).answer).toBe("done");
  });

  it("is held by a copy of the agent that withConfig made, too", async () => {
    const { model, asked, open } = gatedModel([answer]);
    const agent = makeAgent({ model })
      .withConfig({ tags: ["copy"] })
      .withConfig({ configurable: { thread_id: "t1" } });
    const run = agent.invoke({ messages: "Go" });
    await asked;
    expect(await refusedNow()).toBe(true);
    open();
    await run;
  });
});
