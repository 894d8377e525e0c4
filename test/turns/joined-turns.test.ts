import { EventEmitter, once } from "node:events";
import { MemorySaver } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import {
  type AgentOptions,
  createAgent,
  openThreads,
  streamTurn,
  ThreadInUseError,
  type Threads,
  type TurnEvent,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { allOf } from "../helpers/turn-events.js";
import { matrix } from "../matrix/matrix.js";

const thread = { configurable: { thread_id: "t" } };
const answer = " I know\nFinal Answer: Four.";

let threads: Threads | undefined;
afterEach(() => threads?.close());

/** A model that is asked, and waits until the test lets it answer, or fail. */
function gatedModel(...replies: (string | Error)[]) {
  const gate = new EventEmitter();
  const asked = once(gate, "asked");
  const opened = once(gate, "opened");
  const [first = answer, ...rest] = replies;
  const model = scriptedModel([
    async () => {
      gate.emit("asked");
      await opened;
      return first;
    },
    ...rest,
  ]);
  return { model, asked, open: () => gate.emit("opened") };
}

async function agentOn(kind: string, options: AgentOptions) {
  threads = kind === "Glassloop" ? await openThreads("memory:") : undefined;
  return createAgent({ protocol: "react", checkpointer: threads?.checkpointer ?? new MemorySaver(), ...options });
}

const question = { messages: "What is 2 + 2?" };

describe.each(matrix(["Glassloop", "MemorySaver"], "Glassloop"))("a turn in progress, on a thread of %s", (kind) => {
  it("can be joined late and twice: each reader gets every event from the beginning, once", async () => {
    const { model, asked, open } = gatedModel();
    const agent = await agentOn(kind, { model });
    const first = allOf(streamTurn(agent, question, thread));
    await asked;
    const second = allOf(streamTurn(agent, null, thread));
    const third = streamTurn(agent, null, thread);
    const begun = await third.next();
    // A joined reader leaves.
    for await (const _ of streamTurn(agent, null, thread)) break;
    open();
    const events = await first;
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "answered" });
    expect(await second).toEqual(events);
    expect([begun.value, ...(await allOf(third))]).toEqual(events);
    expect(model.calls).toHaveLength(1);
  });

  it("stops when the reader that started it leaves, with an error for the joined readers", async () => {
    const { model, asked } = gatedModel();
    const agent = await agentOn(kind, { model });
    const first = streamTurn(agent, question, thread);
    await first.next();
    await asked;
    const events: TurnEvent[] = [];
    const joined = (async () => {
      for await (const event of streamTurn(agent, null, thread)) events.push(event);
    })();
    const ended = expect(joined).rejects.toThrow(/abort/i);
    await first.return(undefined);
    await ended;
    expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "cancelled" });
  });

  it("fails for all readers with the same error", async () => {
    const failure = new Error("gone");
    const { model, asked, open } = gatedModel(failure);
    const agent = await agentOn(kind, { model });
    const first = allOf(streamTurn(agent, question, thread)).catch((error: unknown) => error);
    await asked;
    const second = allOf(streamTurn(agent, null, thread)).catch((error: unknown) => error);
    open();
    expect(await first).toBe(failure);
    expect(await second).toBe(failure);
    // The events of a turn are dropped when its run ends. So this call continues the turn, and asks the model again.
    await expect(allOf(streamTurn(agent, null, thread))).rejects.toThrow(/one call too many/);
  });

  it("is complete for a slow reader, and does not wait for this reader", async () => {
    const words = Array.from({ length: 100 }, (_, n) => `w${n}`).join(" ");
    const { model, asked, open } = gatedModel(` I know\nFinal Answer: ${words}`);
    const agent = await agentOn(kind, { model });
    const first = allOf(streamTurn(agent, question, thread));
    await asked;
    const slow = streamTurn(agent, null, thread);
    await slow.next();
    open();
    const events = await first;
    expect(events.length).toBeGreaterThan(100);
    expect((await allOf(slow)).length).toBe(events.length - 1);
  });

  it("is not joined with the config of an old checkpoint", async () => {
    const agent = await agentOn(kind, { model: scriptedModel([answer]) });
    await agent.invoke(question, thread);
    const { config } = await agent.getState(thread);
    const { model, asked, open } = gatedModel();
    const busy = createAgent({ model, protocol: "react", rephrase: false, checkpointer: agent.checkpointer });
    const first = allOf(streamTurn(busy, question, thread));
    await asked;
    const old = allOf(streamTurn(agent, null, config)).catch((error: unknown) => error);
    expect(await old).toEqual(kind === "Glassloop" ? expect.any(ThreadInUseError) : []);
    open();
    await first;
  });
});

it("a turn is joined by another agent on the same database", async () => {
  const { model, asked, open } = gatedModel();
  const agent = await agentOn("Glassloop", { model });
  const other = createAgent({ model: scriptedModel([]), protocol: "react", checkpointer: threads?.checkpointer });
  const first = allOf(streamTurn(agent, question, thread));
  await asked;
  const second = allOf(streamTurn(other, null, thread));
  open();
  expect(await second).toEqual(await first);
});

it("a turn that waits for the thread is streamed after the turn that holds the thread", async () => {
  const { model, asked, open } = gatedModel(answer, " I know\nFinal Answer: Five.");
  const agent = await agentOn("Glassloop", { model, multitaskStrategy: "enqueue", rephrase: false });
  const first = allOf(streamTurn(agent, question, thread));
  await asked;
  const second = allOf(streamTurn(agent, { messages: "And 2 + 3?" }, thread));
  expect((await Promise.all([allOf(streamTurn(agent, null, thread)), open()]))[0]).toEqual(await first);
  expect((await second)[0]).toMatchObject({ asked: "And 2 + 3?", number: 2 });
});

it("a turn of agent.invoke cannot be joined, and neither can a turn without a thread", async () => {
  const { model, asked, open } = gatedModel();
  const agent = await agentOn("Glassloop", { model });
  const run = agent.invoke(question, thread);
  await asked;
  await expect(allOf(streamTurn(agent, null, thread))).rejects.toThrow(ThreadInUseError);
  open();
  await run;
  const unkept = createAgent({ model: gatedModel().model, checkpointer: false });
  const first = streamTurn(unkept, question, thread);
  await first.next();
  await expect(allOf(streamTurn(unkept, null, thread))).rejects.toThrow(/so no thread/);
  await first.return(undefined);
});
