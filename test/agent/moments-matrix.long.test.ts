import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, END, MessagesValue, Send, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  type Agent,
  approvalRequests,
  continueTurn,
  createAgent,
  decide,
  edit,
  GlassloopError,
  openThreads,
  regenerate,
  ThreadError,
} from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { coded } from "../helpers/coded.js";
import { databases } from "../matrix/databases.js";
import { isFull, sample } from "../matrix/matrix.js";
import { at, checkpointerOf, openKind } from "../threads/open-kind.js";

/** What the models and the tools of an agent did. */
type Log = string[];

/** A model that looks, looks and pays, and then answers. An agent in a tool only pays. Other questions it answers at once. */
function payingModel(log: Log) {
  const reply = (messages: readonly BaseMessage[]) => {
    const question = messages.findLastIndex((message) => message.getType() === "human");
    const asked = messages[question]?.text ?? "";
    const results = messages.slice(question + 1).filter((message) => message.getType() === "tool").length;
    log.push(`model after ${results}`);
    const calls = asked.startsWith("Pay")
      ? [["pay"]]
      : asked.startsWith("Refund")
        ? [["look"], ["look", "refund"]]
        : [];
    const made = calls.slice(0, results + 1).flat().length > results ? calls[results] : undefined;
    if (made === undefined) return `Answer to ${asked}`;
    const tool_calls = made.map((name, n) => ({ id: `${results}-${n}`, name, args: { q: asked } }));
    return new AIMessage({ content: "", tool_calls });
  };
  return scriptedModel(Array.from({ length: 99 }, () => reply));
}

const toolOptions = (name: string, approve: boolean) => ({
  name,
  description: name,
  schema: z.object({ q: z.string() }),
  metadata: { approve, effects: approve },
});

/** An agent that is asked before it refunds: itself, or by the agent in a tool that pays. */
function agentOn(checkpointer: BaseCheckpointSaver, isNested: boolean, log: Log = []) {
  const acts = (name: string, approve = false) =>
    tool(
      ({ q }) => {
        log.push(name);
        return `${name}: ${q}`;
      },
      toolOptions(name, approve),
    );
  const common = { protocol: "tool-calling", rephrase: false } as const;
  const payer = createAgent({ model: payingModel(log), tools: [acts("pay", true)], ...common });
  const delegate = tool(
    async ({ q }, config) => {
      const { answer } = await payer.invoke({ messages: `Pay ${q}` }, config);
      return String(answer);
    },
    toolOptions("refund", false),
  );
  const tools = [acts("look"), isNested ? delegate : acts("refund", true)];
  return createAgent({ model: payingModel(log), tools, checkpointer, ...common });
}

/** The moments of a run: just after a checkpoint, or when all was stored that its step wrote, but not the next checkpoint. */
interface Moment {
  readonly checkpoint: number;
  readonly isBetween: boolean;
}

/** Makes an agent store nothing any more from a moment on, as if its process was killed. */
function killAt({ checkpointer: saver }: Pick<Agent, "checkpointer">, { checkpoint, isBetween }: Moment): void {
  if (typeof saver !== "object") throw new Error("There is no checkpointer.");
  let left = checkpoint;
  let isDead = false;
  const { put, putWrites } = saver;
  saver.put = async (...given) => {
    const isMain = !given[0].configurable?.checkpoint_ns;
    isDead ||= isMain && left === 0;
    if (isDead) throw new Error("killed");
    const stored = put.apply(saver, given);
    if (isMain) left -= 1;
    // The writes of the next step may come before this one has ended.
    isDead ||= left === 0 && !isBetween;
    return await stored;
  };
  saver.putWrites = async (...given) => {
    if (isDead) throw new Error("killed");
    await putWrites.apply(saver, given);
  };
}

/** Approves what an agent asks for, until it asks for nothing more. */
async function approveAll(agent: Agent, thread: string, options = {}): Promise<void> {
  for (;;) {
    const [request] = approvalRequests(await agent.getState(at(thread)));
    if (request === undefined) return;
    await agent.invoke(decide({ [request.id]: "approve" }), { ...at(thread), ...options });
  }
}

/** Runs two turns. The second one uses two tools and waits for an approval. */
async function ask(agent: Agent, thread: string, options = {}): Promise<void> {
  await agent.invoke({ messages: "Refund it." }, { ...at(thread), ...options });
}

async function killedThread(saver: BaseCheckpointSaver, isNested: boolean, thread: string, moment: Moment) {
  await agentOn(saver, isNested).invoke({ messages: "Hello" }, at(thread));
  const agent = agentOn(saver instanceof MemorySaver ? Object.create(saver) : saver, isNested);
  killAt(agent, moment);
  await ask(agent, thread)
    .then(() => approveAll(agent, thread))
    .catch((error: unknown) => expect(String(error)).toContain("killed"));
}

async function waitingThread(saver: BaseCheckpointSaver, isNested: boolean, thread: string) {
  const agent = agentOn(saver, isNested);
  await agent.invoke({ messages: "Hello" }, at(thread));
  await ask(agent, thread);
}

const actions: Readonly<Record<string, (agent: Agent, thread: string) => Promise<unknown>>> = {
  "go on": (agent, thread) => agent.invoke(null, at(thread)),
  ask: (agent, thread) => agent.invoke({ messages: "And now?" }, at(thread)),
  regenerate: (agent, thread) => regenerate(agent, thread),
  edit: (agent, thread) => edit(agent, thread, "Refund mine."),
  continueTurn: (agent, thread) => continueTurn(agent, thread),
};

async function stateOf(agent: Agent, thread: string) {
  const { next, values, tasks, config } = await agent.getState(at(thread));
  const named = await agent.getState(config);
  const said = ({ messages = [] }) => messages.map((message: BaseMessage) => `${message.getType()}: ${message.text}`);
  const questions = approvalRequests({ tasks }).map(({ tool: name }) => name);
  return { next, said: said(values), questions, named: { next: named.next, said: said(named.values) } };
}

/** What a thread is, what an action does to it, and what it is then. */
async function outcomeOf(saver: BaseCheckpointSaver, isNested: boolean, thread: string, action: string) {
  const log: Log = [];
  const agent = agentOn(saver, isNested, log);
  const before = await stateOf(agent, thread);
  const error = await actions[action]?.(agent, thread).then(
    () => approveAll(agent, thread),
    (failure: unknown) => (failure instanceof GlassloopError ? failure.code : String(failure)),
  );
  return { before, error, log, after: await stateOf(agent, thread) };
}

const names = Object.keys(actions);

describe.each([
  ["a tool", false],
  ["an agent in a tool", true],
])("a turn in which %s asks a person", (_, isNested) => {
  const originals = new Map<string, Awaited<ReturnType<typeof outcomeOf>>>();
  let moments: readonly number[] = [];

  const originalOf = (checkpoint: number | "waiting", isBetween: boolean, action: string) =>
    originals.get(JSON.stringify([checkpoint, isBetween, action]));

  beforeAll(async () => {
    const counted = agentOn(new MemorySaver(), isNested);
    await ask(counted, "t");
    await approveAll(counted, "t");
    let checkpoints = 0;
    for await (const _ of counted.getStateHistory(at("t"))) checkpoints += 1;
    moments = sample(Array.from({ length: checkpoints }, (_, n) => n + 1));
    for (const action of names) {
      for (const checkpoint of moments) {
        for (const isBetween of [false, true]) {
          const saver = new MemorySaver();
          await killedThread(saver, isNested, "t", { checkpoint, isBetween });
          const key = JSON.stringify([checkpoint, isBetween, action]);
          originals.set(key, await outcomeOf(saver, isNested, "t", action));
        }
      }
      const saver = new MemorySaver();
      await waitingThread(saver, isNested, "t");
      originals.set(JSON.stringify(["waiting", false, action]), await outcomeOf(saver, isNested, "t", action));
    }
  }, 600_000);

  test.each(["regenerate", "edit"])(
    "has the same interrupt again, whatever its step wrote before a kill: %s",
    (action) => {
      const outcomes = moments.map((moment) =>
        [false, true].map((isBetween) => {
          const { error, log, after } = originalOf(moment, isBetween, action) ?? {};
          return { moment, error, log, said: after?.named.said };
        }),
      );
      for (const [before, between] of outcomes) expect.soft(between).toEqual(before);
    },
  );

  describe.each(databases)("kept in $name", (kind) => {
    const tried = () => (isFull ? moments : sample(kind.lasting ? moments.slice(1) : moments));

    test.each(sample(["async", "sync"] as const))(
      "is forked at each checkpoint as it was then (%s)",
      async (durability) => {
        const { threads } = await openKind(kind);
        const agent = agentOn(threads.checkpointer, isNested);
        await agent.invoke({ messages: "Hello" }, at("t"));
        await ask(agent, "t", { durability });
        await approveAll(agent, "t", { durability });
        const steps = (await threads.history("t")).turns[1]?.steps ?? [];
        for (const moment of tried()) {
          for (const action of names) {
            const fork = `${moment} ${action}`;
            await threads.fork("t", steps[moment - 1]?.checkpoint ?? "", fork);
            const outcome = await outcomeOf(threads.checkpointer, isNested, fork, action);
            expect.soft([fork, outcome]).toEqual([fork, originalOf(moment, false, action)]);
          }
        }
      },
    );

    test.each([false, true])(
      "is killed at each checkpoint, and resumes with what its step wrote: %s",
      async (isBetween) => {
        const { threads } = await openKind(kind);
        for (const checkpoint of tried()) {
          for (const action of names) {
            const thread = `${checkpoint} ${action}`;
            await killedThread(threads.checkpointer, isNested, thread, { checkpoint, isBetween });
            const outcome = await outcomeOf(threads.checkpointer, isNested, thread, action);
            expect.soft([thread, outcome]).toEqual([thread, originalOf(checkpoint, isBetween, action)]);
          }
        }
      },
    );

    test("is copied while it waits, and after a kill, and forked only when a person has decided", async () => {
      const { threads } = await openKind(kind);
      await waitingThread(threads.checkpointer, isNested, "waiting");
      const steps = (await threads.history("waiting")).turns[1]?.steps ?? [];
      for (const { checkpoint } of steps.slice(-2))
        await expect(threads.fork("waiting", checkpoint, "twice")).rejects.toThrow(
          coded(ThreadError, "thread-waiting"),
        );
      for (const checkpoint of tried())
        await killedThread(threads.checkpointer, isNested, `${checkpoint}`, { checkpoint, isBetween: true });
      for (const action of names) {
        const copies = await openThreads("memory:");
        onTestFinished(() => copies.close());
        await threads.copy("waiting", copies);
        const copied = await outcomeOf(copies.checkpointer, isNested, "waiting", action);
        expect.soft([action, copied]).toEqual([action, originalOf("waiting", false, action)]);
        for (const checkpoint of tried()) {
          await threads.copy(`${checkpoint}`, copies);
          const outcome = await outcomeOf(copies.checkpointer, isNested, `${checkpoint}`, action);
          expect
            .soft([checkpoint, action, outcome])
            .toEqual([checkpoint, action, originalOf(checkpoint, true, action)]);
        }
      }
    });
  });
});

/** A graph whose agent ends its turn with two packets for another node. */
function handingOver(checkpointer: BaseCheckpointSaver, log: Log = []) {
  const send = (q: string) => new Send("payer", { messages: [new HumanMessage({ id: q, content: q })] });
  const handOver = tool(
    () => new Command({ graph: Command.PARENT, goto: [send("one"), send("two")] }),
    toolOptions("look", false),
  );
  const agent = createAgent({
    model: payingModel(log),
    tools: [handOver],
    protocol: "tool-calling",
    rephrase: false,
  });
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("agent", agent, { ends: ["payer"] })
    .addNode("payer", ({ messages }) => {
      const asked = messages.at(-1)?.text ?? "";
      log.push(`pay ${asked}`);
      return { messages: [new AIMessage({ id: `paid ${asked}`, content: `Paid ${asked}` })] };
    })
    .addEdge(START, "agent")
    .addEdge("payer", END)
    .compile({ checkpointer })
    .withConfig({ durability: "sync" });
}

/** What a thread of that graph is, what is left to do, and what it is then. */
async function restOf(saver: BaseCheckpointSaver, thread: string) {
  const log: Log = [];
  const graph = handingOver(saver, log);
  const stateNow = async () => {
    const { values, next } = await graph.getState(at(thread));
    return { next, said: (values.messages ?? []).map(({ text }: BaseMessage) => text) };
  };
  const before = await stateNow();
  await graph.invoke(null, at(thread));
  return { before, log: log.toSorted(), after: await stateNow() };
}

test.each(databases)(
  "a turn that ends with Send packets resumes from each of its checkpoints in $name",
  async (kind) => {
    const { threads } = await openKind(kind);
    const input = { messages: [new HumanMessage({ id: "q", content: "Refund it." })] };
    await handingOver(threads.checkpointer).invoke(input, at("t"));
    const steps = (await threads.history("t")).turns.flatMap((turn) => turn.steps);
    const { database, shared } = checkpointerOf(threads);
    for (const [n, { checkpoint }] of steps.entries()) {
      for (const isBetween of [false, true]) {
        const original = new MemorySaver();
        const thread = `${n} ${isBetween}`;
        for (const saver of [Object.create(original), new ThreadCheckpointer(database, shared)]) {
          const graph = handingOver(saver);
          killAt(graph, { checkpoint: n + 1, isBetween });
          await graph.invoke(input, at(thread)).catch((error: unknown) => expect(String(error)).toContain("killed"));
        }
        const expected = await restOf(original, thread);
        expect.soft([thread, await restOf(threads.checkpointer, thread)]).toEqual([thread, expected]);
        if (isBetween) continue;
        await threads.fork("t", checkpoint, `fork ${n}`);
        expect.soft([thread, await restOf(threads.checkpointer, `fork ${n}`)]).toEqual([thread, expected]);
      }
    }
    expect(steps.length).toBeGreaterThan(3);
  },
);
