import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../src/agent/create-agent.js";
import { type ErrorCode, InvalidInputError, ThreadError } from "../../src/base/errors.js";
import { type ScriptedReply, type ScriptedReplyMaker, scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import { calculator } from "../../src/tools/calculator/calculator.js";
import { continueTurn, reopenTurn } from "../../src/turns/continue-turn.js";
import { edit, regenerate, replay, rewind } from "../../src/turns/go-back.js";
import { streamTurn } from "../../src/turns/stream-turn.js";
import { coded } from "../helpers/coded.js";
import { allOf, stepsIn } from "../helpers/turn-events.js";
import { databases, memory, sqlite, type TestDatabaseKind } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { at, openKind } from "../threads/open-kind.js";

const calculate = (sum: string) => ` I shall work it out\nAction: calculator\nAction Input: ${sum}`;
const answer = (text: string) => ` I know\nFinal Answer: ${text}`;

function agentOn({ checkpointer }: Threads, ...replies: ScriptedReply[]) {
  const model = scriptedModel(replies);
  return createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false, checkpointer });
}

/** Opens a database with a thread of two turns, the second one with a tool step. */
async function twoTurns(kind: TestDatabaseKind): Promise<Threads> {
  const { threads } = await openKind(kind);
  const agent = agentOn(threads, answer("Hello!"), calculate("2+2"), answer("Four."));
  await agent.invoke({ messages: "Say hello" }, at("t"));
  await agent.invoke({ messages: "What is 2 + 2?" }, at("t"));
  return threads;
}

async function textsOf(threads: Threads, thread = "t"): Promise<string[]> {
  const { values } = await agentOn(threads).getState(at(thread));
  return values.messages.map(({ text }: BaseMessage) => text);
}

/** The checkpoints of a turn of the thread "t". */
async function stepsOf(threads: Threads, turn: number) {
  const { steps = [] } = (await threads.history("t")).turns[turn - 1] ?? {};
  const end = steps.at(-1)?.checkpoint ?? "";
  return { steps, end, stepBefore: (node: string) => steps.find(({ next }) => next.includes(node))?.checkpoint ?? "" };
}

const failsWith = (run: Promise<unknown>, code: ErrorCode) => expect(run).rejects.toThrow(coded(ThreadError, code));

describe.each(matrix(databases, sqlite))("time travel in $name", (kind) => {
  test("lists turns and steps with their checkpoints", async () => {
    const threads = await twoTurns(kind);
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
    await failsWith(threads.history("nobody"), "thread-not-found");
  });

  test("answers the last question again, and keeps the old answer as a branch", async () => {
    const threads = await twoTurns(kind);
    const agent = agentOn(threads, answer("It is 4."), answer("4."), answer("Good bye!"));
    expect((await regenerate(agent, "t")).answer).toBe("It is 4.");
    expect(await textsOf(threads)).toEqual(["Say hello", "Hello!", "What is 2 + 2?", "It is 4."]);
    const { turns, branches } = await threads.history("t");
    expect(turns).toMatchObject([{ number: 1 }, { number: 2, answer: "It is 4." }]);
    expect(branches).toMatchObject([{ turn: 2, answer: "Four." }]);
    const events = stepsIn(await allOf(streamTurn(agent, null, await rewind(agent, "t"))));
    expect(events.at(0)).toMatchObject({ type: "question", asked: "What is 2 + 2?" });
    expect(events.at(-1)).toMatchObject({ type: "answer", text: "4." });
    await agent.invoke({ messages: "Bye" }, at("t"));
    expect(await textsOf(threads)).toHaveLength(6);
    expect((await threads.get("t"))?.turns).toBe(3);
  });

  test("asks another question in place of the last one", async () => {
    const threads = await twoTurns(kind);
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

  test("answers the first question again, and another one in its place, which changes the title", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("Hello!"), answer("Hi!"), answer("Bye!"));
    await agent.invoke({ messages: "Say hello" }, at("t"));
    await regenerate(agent, "t");
    expect(await textsOf(threads)).toEqual(["Say hello", "Hi!"]);
    await edit(agent, "t", "Say good bye");
    expect(await threads.get("t")).toMatchObject({ title: "Say good bye", turns: 1 });
  });

  test("replays from a checkpoint, and from an edited state", async () => {
    const threads = await twoTurns(kind);
    const { stepBefore, end } = await stepsOf(threads, 2);
    const agent = agentOn(threads, answer("Four, again."), answer("Five."));
    expect((await replay(agent, "t", stepBefore("act"))).answer).toBe("Four, again.");
    const action = { tool: "calculator", toolInput: "2+3", log: "I change my mind", id: "2-1-1" };
    const decision = { kind: "action", actions: [action] };
    const edited = await agent.updateState(at("t", stepBefore("act")), { decision }, "parse");
    expect(await agent.invoke(null, edited)).toMatchObject({
      intermediateSteps: [{ results: [{ observation: "5" }] }],
      answer: "Five.",
    });
    expect((await replay(agent, "t", end)).answer).toBe("Four.");
  });

  test("replays the end of a turn that a person corrected: returns the state, and writes no checkpoint", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("One."), answer("Two."), answer("Three."));
    const first = await agent.invoke({ messages: "First?" }, at("t"));
    const { end } = await stepsOf(threads, 1);
    const corrected = new AIMessage({ id: first.messages.at(-1)?.id ?? "", content: "Corrected." });
    const { configurable } = await agent.updateState(at("t"), { messages: [corrected] });
    await agent.invoke({ messages: "Second?" }, at("t"));
    const before = await threads.history("t");
    expect(await replay(agent, "t", end)).toEqual(first);
    const { messages } = await replay(agent, "t", configurable?.checkpoint_id);
    expect(messages.map(({ text }) => text)).toEqual(["First?", "Corrected."]);
    expect(await threads.history("t")).toEqual(before);
    await agent.invoke({ messages: "Third?" }, at("t"));
    expect(await textsOf(threads)).toEqual(["First?", "Corrected.", "Second?", "Two.", "Third?", "Three."]);
  });

  test("changes the question that is the last one when the run gets the thread", async () => {
    const { threads, url } = await openKind(kind);
    const others = kind.lasting ? await openThreads(url) : threads;
    onTestFinished(() => others.close());
    const waiting = ({ checkpointer }: Threads, ...replies: (ScriptedReply | ScriptedReplyMaker)[]) =>
      createAgent({ model: scriptedModel(replies), rephrase: false, multitaskStrategy: "enqueue", checkpointer });
    let open = (_: string) => {};
    const opened = new Promise<string>((resolve) => {
      open = resolve;
    });
    const agent = waiting(threads, "One.", () => opened, "Three.");
    await agent.invoke({ messages: "First?" }, at("t"));
    const second = agent.invoke({ messages: "Second?" }, at("t"));
    await expect.poll(async () => (await threads.get("t"))?.lastQuestion).toBe("Second?");
    const third = agent.invoke({ messages: "Third?" }, at("t"));
    const again = edit(waiting(others, "Again."), "t", "Changed?");
    open("Two.");
    await Promise.all([second, third, again]);
    const { messages } = (await agent.getState(at("t"))).values;
    // Two processes do not wait in line: the third question may come last.
    expect(messages.filter((message: BaseMessage) => message.getType() === "human")).toHaveLength(3);
    expect(messages.map(({ text }: BaseMessage) => text)).toEqual(expect.arrayContaining(["Changed?", "Again."]));
  });

  test("answers a question that was changed with updateState as __start__", async () => {
    const threads = await twoTurns(kind);
    const agent = agentOn(threads, calculate("3+3"), answer("Six."), answer("Bye!"));
    const { values } = await agent.getState(at("t"));
    const { id } = values.messages.findLast((message: BaseMessage) => message.getType() === "human");
    await agent.updateState(at("t"), { messages: [new HumanMessage({ id, content: "What is 3 + 3?" })] }, START);
    expect(await agent.invoke(null, at("t"))).toMatchObject({ answer: "Six.", turn: { asked: "What is 3 + 3?" } });
    await agent.invoke({ messages: "Bye" }, at("t"));
    const [, , ...later] = await textsOf(threads);
    expect(later).toEqual(["What is 3 + 3?", "I shall work it out", "6", "Six.", "Bye", "Bye!"]);
  });

  test("forks from any checkpoint into an independent thread, but not onto another one", async () => {
    const threads = await twoTurns(kind);
    const { end } = await stepsOf(threads, 1);
    await failsWith(threads.fork("nobody", end, "new"), "thread-not-found");
    await failsWith(threads.fork("t", "1f000000-0000-6000-8000-000000000000", "new"), "checkpoint-not-kept");
    await failsWith(threads.fork("t", end, "t"), "thread-exists");
    expect(await threads.get("new")).toBeUndefined();
    const about = { title: "Say hello", lastQuestion: "Say hello", turns: 1, status: "idle" };
    expect(await threads.fork("t", end, "what if")).toMatchObject({ id: "what if", ...about });
    expect(await textsOf(threads, "what if")).toEqual(["Say hello", "Hello!"]);
    await agentOn(threads, answer("Seven.")).invoke({ messages: "What is 3 + 4?" }, at("what if"));
    expect(await textsOf(threads, "what if")).toHaveLength(4);
    expect(await textsOf(threads)).toHaveLength(6);
    await threads.delete("t");
    expect((await threads.history("what if")).turns.map(({ asked }) => asked)).toEqual(["Say hello", "What is 3 + 4?"]);
    expect(await threads.search("seven")).toMatchObject([{ thread: "what if" }]);
  });

  test("works after pruning for kept checkpoints, and fails with an error for pruned ones", async () => {
    const threads = await twoTurns(kind);
    const { end, stepBefore } = await stepsOf(threads, 1);
    const start = stepBefore("rephrase-question");
    // The end of the first turn stays, because two branches leave it.
    await agentOn(threads, calculate("2+2"), answer("Four.")).invoke({ messages: "What is 2 + 2?" }, at("t", end));
    const { steps } = await stepsOf(threads, 2);
    await threads.prune({ keepTurns: 1 });
    expect((await threads.history("t")).turns).toMatchObject([
      { number: 1, asked: "Say hello", steps: [{ checkpoint: end }] },
      { number: 2, steps: { length: steps.length } },
    ]);
    expect(await threads.fork("t", end, "kept")).toMatchObject({ turns: 1 });
    const agent = agentOn(threads, answer("4!"));
    expect((await regenerate(agent, "t")).answer).toBe("4!");

    await failsWith(threads.fork("t", start, "gone"), "checkpoint-not-kept");
    await failsWith(replay(agent, "t", start), "checkpoint-not-kept");
    await failsWith(agent.getState(at("t", start)), "checkpoint-not-kept");
    await expect(agent.invoke({ messages: "Hm?" }, at("t", start))).rejects.toThrow("was pruned, or never existed");
    await threads.prune({ keepTurns: 0, dropBranches: true });
    await failsWith(regenerate(agent, "t"), "no-turn-to-repeat");
    await expect(edit(agent, "t", "Another one")).rejects.toThrow("its beginning is not kept. It was pruned");
    expect(await textsOf(threads)).toEqual(["Say hello", "Hello!", "What is 2 + 2?", "4!"]);
  });

  test("does not go back to the beginning of an older turn", async () => {
    const threads = await twoTurns(kind);
    const start = (await stepsOf(threads, 1)).stepBefore("rephrase-question");
    const { end } = await stepsOf(threads, 2);
    // This checkpoint stays, because two branches start there.
    const agent = agentOn(threads, answer("Hi!"), answer("Yes."));
    await replay(agent, "t", start);
    await agent.invoke({ messages: "Sure?" }, at("t", end));
    await threads.prune({ keepTurns: 0 });
    expect((await stepsOf(threads, 1)).steps).toMatchObject([{ checkpoint: start }]);
    await expect(regenerate(agent, "t")).rejects.toThrow("its beginning is not kept. It was pruned");
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

  test("has no turn to repeat on an empty thread, and none after a run with durability exit", async () => {
    const { threads } = await openKind(kind);
    const agent = agentOn(threads, answer("One."));
    await expect(regenerate(agent, "t")).rejects.toThrow("nothing was asked yet");
    await agent.invoke({ messages: "First?" }, { ...at("t"), durability: "exit" });
    await expect(edit(agent, "t", "Second?")).rejects.toThrow('the turn ran with durability "exit"');
  });
});

test("a fork at any step of a turn goes on, is answered again, and is followed by another question", async () => {
  const threads = await twoTurns(memory);
  const { steps } = await stepsOf(threads, 2);
  const unfinished = steps.slice(0, -2);
  for (const [n, { checkpoint }] of unfinished.entries()) {
    const forked = await threads.fork("t", checkpoint, `on${n}`);
    expect(forked).toMatchObject({ turns: n < 2 ? 1 : 2, status: "interrupted" });
    const replies = [calculate("2+2"), answer("Four."), answer("Four.")];
    expect((await agentOn(threads, ...replies).invoke(null, at(`on${n}`))).stopReason).toBe("answered");
    await threads.fork("t", checkpoint, `next${n}`);
    await expect(reopenTurn(agentOn(threads), `next${n}`)).resolves.toEqual(at(`next${n}`));
    await agentOn(threads, answer("Bye.")).invoke({ messages: "And now?" }, at(`next${n}`));
    const texts = await textsOf(threads, `next${n}`);
    expect(texts.filter((text) => text === "What is 2 + 2?")).toHaveLength(1);
  }
  expect(unfinished.length).toBeGreaterThan(4);
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
