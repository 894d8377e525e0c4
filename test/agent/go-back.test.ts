import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { InvalidInputError, ThreadError } from "../../src/base/errors.js";
import type { Agent } from "../../src/core/agent.js";
import { continueTurn, reopenTurn } from "../../src/core/turns/continue-turn.js";
import { edit, regenerate, replay, rewind } from "../../src/core/turns/go-back.js";
import { streamTurn } from "../../src/core/turns/stream-turn.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { coded } from "../helpers/coded.js";
import { allOf, stepsIn } from "../helpers/turn-events.js";
import { databases, memory, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { at, openKind } from "../threads/open-kind.js";

const calculate = (sum: string) => ` I shall work it out\nAction: calculator\nAction Input: ${sum}`;
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

function agentOn({ checkpointer }: Threads, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

/** A thread of two turns, the second one with a tool step. */
async function twoTurns(threads: Threads): Promise<void> {
  const agent = agentOn(threads, answer("Hello!"), calculate("2+2"), answer("Four."));
  await agent.invoke({ messages: "Say hello" }, at("t"));
  await agent.invoke({ messages: "What is 2 + 2?" }, at("t"));
}

async function textsOf(threads: Threads, thread = "t"): Promise<string[]> {
  const { values } = await agentOn(threads).getState(at(thread));
  return values.messages.map(({ text }: { text: string }) => text);
}

describe.each(matrix(databases, sqlite))("time travel in $name", (kind) => {
  test("lists turns and steps with their checkpoints", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const { turns, branches } = await threads.history("t");
    expect(branches).toEqual([]);
    expect(turns).toMatchObject([
      { number: 1, asked: "Say hello", answer: "Hello!", stopReason: "answered" },
      { number: 2, asked: "What is 2 + 2?", answer: "Four.", stopReason: "answered" },
    ]);
    expect(turns[1]?.steps.map(({ source, next, tools }) => [source, ...next, ...tools])).toEqual([
      ["input", "__start__"],
      ["loop", "rephrase-question"],
      ["loop", "plan"],
      ["loop", "parse"],
      ["loop", "act", "calculator"],
      ["loop", "plan"],
      ["loop", "parse"],
      ["loop"],
    ]);
    const ids = turns.flatMap(({ steps }) => steps.map(({ checkpoint }) => checkpoint));
    const known: unknown[] = [];
    for await (const { config } of agentOn(threads).getStateHistory(at("t")))
      known.push(config.configurable?.checkpoint_id);
    expect(ids.toReversed()).toEqual(known);
    await expect(threads.history("nobody")).rejects.toThrow(coded(ThreadError, "thread-not-found"));
  });

  test("answers the last question again, and keeps the old answer as a branch", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const agent = agentOn(threads, answer("It is 4."), answer("Good bye!"));
    expect((await regenerate(agent, "t")).answer).toBe("It is 4.");
    expect(await textsOf(threads)).toEqual(["Say hello", "Hello!", "What is 2 + 2?", "It is 4."]);
    const { turns, branches } = await threads.history("t");
    expect(turns).toMatchObject([{ number: 1 }, { number: 2, answer: "It is 4." }]);
    expect(branches).toMatchObject([{ turn: 2, answer: "Four." }]);
    await agent.invoke({ messages: "Bye" }, at("t"));
    expect(await textsOf(threads)).toHaveLength(6);
    expect((await threads.get("t"))?.turns).toBe(3);
  });

  test("answers the first question again", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, answer("Hello!")).invoke({ messages: "Say hello" }, at("t"));
    await regenerate(agentOn(threads, answer("Hi!")), "t");
    expect(await textsOf(threads)).toEqual(["Say hello", "Hi!"]);
  });

  test("asks another question in place of the last one", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const state = await edit(agentOn(threads, calculate("3+3"), answer("Six.")), "t", " What is 3 + 3? ");
    expect(state).toMatchObject({ answer: "Six.", turn: { number: 2, asked: "What is 3 + 3?" } });
    expect(await textsOf(threads)).toEqual([
      "Say hello",
      "Hello!",
      "What is 3 + 3?",
      "I shall work it out",
      "6",
      "Six.",
    ]);
    expect(await threads.get("t")).toMatchObject({ title: "Say hello", lastQuestion: "What is 3 + 3?", turns: 2 });
    await expect(edit(agentOn(threads), "t", "  ")).rejects.toThrow(InvalidInputError);
  });

  test("changes the title of a thread when its first question is changed", async () => {
    const { threads } = await openKind(kind);
    await agentOn(threads, answer("Hello!")).invoke({ messages: "Say hello" }, at("t"));
    await edit(agentOn(threads, answer("Bye!")), "t", "Say good bye");
    expect(await threads.get("t")).toMatchObject({ title: "Say good bye", turns: 1 });
  });

  test("streams a turn that is run again", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const agent = agentOn(threads, answer("4."));
    const events = stepsIn(await allOf(streamTurn(agent, null, await rewind(agent, "t"))));
    expect(events.at(0)).toMatchObject({ type: "question", asked: "What is 2 + 2?" });
    expect(events.at(-1)).toMatchObject({ type: "answer", text: "4." });
  });

  test("replays from a checkpoint, and from an edited state", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const steps = (await threads.history("t")).turns[1]?.steps ?? [];
    const beforeAct = steps.find(({ next }) => next.includes("act"))?.checkpoint ?? "";
    const agent = agentOn(threads, answer("Four, again."), answer("Five."));
    expect((await replay(agent, "t", beforeAct)).answer).toBe("Four, again.");
    const action = { tool: "calculator", toolInput: "2+3", log: "I change my mind", id: "2-1-1" };
    const edited = await agent.updateState(
      at("t", beforeAct),
      { decision: { kind: "action", actions: [action] } },
      "parse",
    );
    const state = await agent.invoke(null, edited);
    expect(state.intermediateSteps[0]?.results).toMatchObject([{ observation: "5" }]);
    expect(state.answer).toBe("Five.");
    const end = steps.at(-1)?.checkpoint ?? "";
    expect((await replay(agent, "t", end)).answer).toBe("Four.");
  });

  test("replays the end of a turn: returns the state, and writes no checkpoint", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("One."), answer("Two."), answer("Three."));
    const first = await agent.invoke({ messages: "First?" }, at("t"));
    await agent.invoke({ messages: "Second?" }, at("t"));
    const before = await threads.history("t");
    expect(await replay(agent, "t", before.turns[0]?.steps.at(-1)?.checkpoint ?? "")).toEqual(first);
    expect(await threads.history("t")).toEqual(before);
    await agent.invoke({ messages: "Third?" }, at("t"));
    expect(await textsOf(threads)).toEqual(["First?", "One.", "Second?", "Two.", "Third?", "Three."]);
  });

  test("replays the end of a turn that a person corrected", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("One."), answer("Two."));
    const { messages } = await agent.invoke({ messages: "First?" }, at("t"));
    const corrected = new AIMessage({ id: messages.at(-1)?.id ?? "", content: "Corrected." });
    const { configurable } = await agent.updateState(at("t"), { messages: [corrected] });
    await agent.invoke({ messages: "Second?" }, at("t"));
    const state = await replay(agent, "t", configurable?.checkpoint_id);
    expect(state.messages.map(({ text }) => text)).toEqual(["First?", "Corrected."]);
    expect(await textsOf(threads)).toEqual(["First?", "Corrected.", "Second?", "Two."]);
  });

  test.each([
    ["answers", regenerate],
    ["changes", (agent: Agent, thread: string) => edit(agent, thread, "Changed?")],
  ])("%s the question that is the last one when the run gets the thread", async (_, goBack) => {
    const { threads, url } = await openKind(kind);
    const others = kind.lasting ? await openThreads(url) : threads;
    onTestFinished(() => others.close());
    const waiting = (from: Threads, ...replies: (ScriptedReply | ScriptedReplyMaker)[]) =>
      createAgent({
        model: scriptedModel(replies),
        protocol: "react",
        rephrase: false,
        multitaskStrategy: "enqueue",
        checkpointer: from.checkpointer,
      });
    let open = (_: string) => {};
    const opened = new Promise<string>((resolve) => {
      open = resolve;
    });
    const agent = waiting(threads, answer("One."), () => opened, answer("Three."));
    await agent.invoke({ messages: "First?" }, at("t"));
    const second = agent.invoke({ messages: "Second?" }, at("t"));
    await expect.poll(async () => (await threads.get("t"))?.lastQuestion).toBe("Second?");
    const third = agent.invoke({ messages: "Third?" }, at("t"));
    const again = goBack(waiting(others, answer("Again.")), "t");
    open(answer("Two."));
    await Promise.all([second, third, again]);
    const { messages } = (await agent.getState(at("t"))).values;
    // Two processes do not wait in line: the third question may come last.
    expect(messages.filter((message: BaseMessage) => message.getType() === "human")).toHaveLength(3);
    expect(messages.map(({ text }: BaseMessage) => text)).toContain("Again.");
  });

  test("answers a question that was changed with updateState as __start__", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const agent = agentOn(threads, calculate("3+3"), answer("Six."), answer("Bye!"));
    const { values } = await agent.getState(at("t"));
    const { id } = values.messages.findLast((message: BaseMessage) => message.getType() === "human");
    await agent.updateState(at("t"), { messages: [new HumanMessage({ id, content: "What is 3 + 3?" })] }, START);
    expect(await agent.invoke(null, at("t"))).toMatchObject({ answer: "Six.", turn: { asked: "What is 3 + 3?" } });
    const texts = ["Say hello", "Hello!", "What is 3 + 3?", "I shall work it out", "6", "Six."];
    expect(await textsOf(threads)).toEqual(texts);
    await agent.invoke({ messages: "Bye" }, at("t"));
    expect(await textsOf(threads)).toEqual([...texts, "Bye", "Bye!"]);
  });

  test("says what durability exit costs", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("One."));
    await agent.invoke({ messages: "First?" }, { ...at("t"), durability: "exit" });
    await expect(regenerate(agent, "t")).rejects.toThrow('the turn ran with durability "exit"');
    await expect(edit(agent, "t", "Second?")).rejects.toThrow('the turn ran with durability "exit"');
  });

  test("forks from any checkpoint into an independent thread", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const { turns } = await threads.history("t");
    const end = turns[0]?.steps.at(-1)?.checkpoint ?? "";
    const forked = await threads.fork("t", end, "what if");
    expect(forked).toMatchObject({
      id: "what if",
      title: "Say hello",
      lastQuestion: "Say hello",
      turns: 1,
      status: "idle",
    });
    expect(await textsOf(threads, "what if")).toEqual(["Say hello", "Hello!"]);
    await agentOn(threads, answer("Seven.")).invoke({ messages: "What is 3 + 4?" }, at("what if"));
    expect(await textsOf(threads, "what if")).toHaveLength(4);
    expect(await textsOf(threads)).toHaveLength(6);
    await threads.delete("t");
    expect((await threads.history("what if")).turns.map(({ asked }) => asked)).toEqual(["Say hello", "What is 3 + 4?"]);
    expect(await threads.search("seven")).toMatchObject([{ thread: "what if" }]);
  });

  test("forks in the middle of a turn, and goes on from there", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const { turns } = await threads.history("t");
    const beforeAct = turns[1]?.steps.find(({ next }) => next.includes("act"))?.checkpoint ?? "";
    expect(await threads.fork("t", beforeAct, "t2")).toMatchObject({ turns: 2, status: "interrupted" });
    const state = await agentOn(threads, answer("Four, too.")).invoke(null, at("t2"));
    expect(state.answer).toBe("Four, too.");
  });

  test("refuses to fork a missing checkpoint, or onto an existing thread", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const end = (await threads.history("t")).turns[0]?.steps.at(-1)?.checkpoint ?? "";
    await expect(threads.fork("nobody", end, "new")).rejects.toThrow(coded(ThreadError, "thread-not-found"));
    await expect(threads.fork("t", "1f000000-0000-6000-8000-000000000000", "new")).rejects.toThrow(
      coded(ThreadError, "checkpoint-not-kept"),
    );
    await expect(threads.fork("t", end, "t")).rejects.toThrow(coded(ThreadError, "thread-exists"));
    expect(await threads.get("new")).toBeUndefined();
  });

  test("works after pruning for kept checkpoints, and fails with an error for pruned ones", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const [first] = (await threads.history("t")).turns;
    const end = first?.steps.at(-1)?.checkpoint ?? "";
    const start = first?.steps[1]?.checkpoint ?? "";
    // The end of the first turn stays, because two branches leave it.
    await agentOn(threads, calculate("2+2"), answer("Four.")).invoke({ messages: "What is 2 + 2?" }, at("t", end));
    const second = (await threads.history("t")).turns[1];
    await threads.prune({ keepTurns: 1 });
    const left = await threads.history("t");
    expect(left.turns.map(({ number, steps }) => [number, steps.length])).toEqual([
      [1, 1],
      [2, second?.steps.length],
    ]);
    expect(left.turns[0]).toMatchObject({ asked: "Say hello", steps: [{ checkpoint: end }] });
    expect(await threads.fork("t", end, "kept")).toMatchObject({ turns: 1 });
    const agent = agentOn(threads, answer("4!"));
    expect((await regenerate(agent, "t")).answer).toBe("4!");

    await expect(threads.fork("t", start, "gone")).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    await expect(replay(agent, "t", start)).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    await expect(agent.getState(at("t", start))).rejects.toThrow(coded(ThreadError, "checkpoint-not-kept"));
    await expect(agent.invoke({ messages: "Hm?" }, at("t", start))).rejects.toThrow("was pruned, or never existed");
    await threads.prune({ keepTurns: 0, dropBranches: true });
    await expect(regenerate(agent, "t")).rejects.toThrow(coded(ThreadError, "no-turn-to-repeat"));
    await expect(edit(agent, "t", "Another one")).rejects.toThrow("its beginning is not kept. It was pruned");
    expect(await textsOf(threads)).toEqual(["Say hello", "Hello!", "What is 2 + 2?", "4!"]);
  });

  test("does not go back to the beginning of an older turn", async () => {
    const { threads } = await openKind(kind);
    await twoTurns(threads);
    const steps = (await threads.history("t")).turns.flatMap((turn) => turn.steps);
    const start = steps.find(({ next }) => next.includes("rephrase-question"))?.checkpoint ?? "";
    // This checkpoint stays, because two branches start there.
    const agent = agentOn(threads, answer("Hi!"), answer("Yes."));
    await replay(agent, "t", start);
    await agent.invoke({ messages: "Sure?" }, at("t", steps.at(-1)?.checkpoint));
    await threads.prune({ keepTurns: 0 });
    expect((await threads.history("t")).turns[0]?.steps).toMatchObject([{ checkpoint: start }]);
    await expect(regenerate(agentOn(threads), "t")).rejects.toThrow("its beginning is not kept. It was pruned");
  });

  test("does not confuse the edited question with the one that replaced it", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("One."), answer("Two."));
    await agent.invoke({ messages: "First?" }, at("t"));
    await edit(agent, "t", "Second?");
    // The beginning of the first question stays, because two branches leave it.
    await threads.prune({ keepTurns: 0 });
    await expect(regenerate(agent, "t")).rejects.toThrow("its beginning is not kept. It was pruned");
    expect(await textsOf(threads)).toEqual(["Second?", "Two."]);
  });

  test("has no turn to repeat on an empty thread", async () => {
    const { threads } = await openKind(kind);
    await expect(regenerate(agentOn(threads), "t")).rejects.toThrow("nothing was asked yet");
  });
});

test("a fork at any step of a turn goes on, is answered again, and is followed by another question", async () => {
  const { threads } = await openKind(memory);
  await twoTurns(threads);
  const { turns } = await threads.history("t");
  const steps = turns.at(-1)?.steps.slice(0, -2) ?? [];
  for (const [n, { checkpoint }] of steps.entries()) {
    await threads.fork("t", checkpoint, `on${n}`);
    const replies = [calculate("2+2"), answer("Four."), answer("Four.")];
    expect((await agentOn(threads, ...replies).invoke(null, at(`on${n}`))).stopReason).toBe("answered");
    await threads.fork("t", checkpoint, `next${n}`);
    await agentOn(threads, answer("Bye.")).invoke({ messages: "And now?" }, at(`next${n}`));
    const texts = await textsOf(threads, `next${n}`);
    expect(texts.filter((text) => text === "What is 2 + 2?")).toHaveLength(1);
    await threads.fork("t", checkpoint, `again${n}`);
    await expect(reopenTurn(agentOn(threads), `again${n}`)).resolves.toEqual(at(`again${n}`));
  }
  expect(steps.length).toBeGreaterThan(4);
});

test("the thread of a graph around an agent is run again by that graph", async () => {
  const checkpointer = new MemorySaver();
  const desk = createAgent({ model: scriptedModel(["Hello!"]), checkpointer });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("desk", desk)
    .addEdge(START, "desk")
    .compile({ checkpointer });
  await graph.invoke({ messages: "Say hello" }, at("t"));
  for (const goBack of [regenerate, continueTurn]) {
    await expect(goBack(desk, "t")).rejects.toThrow("is a node of another graph, run that graph");
  }
});
