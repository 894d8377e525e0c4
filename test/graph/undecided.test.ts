import { Command, interrupt } from "@langchain/langgraph";
import { expect, test } from "vitest";
import {
  type AgentOptions,
  approvalRequests,
  decide,
  NotWaitingError,
  streamTurn,
  ThreadError,
} from "../../src/index.js";
import { asking, call, mailer, thread, toolOf } from "../agent/tainted.js";
import { coded } from "../helpers/coded.js";
import { databases, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { openKind } from "../threads/open-kind.js";

const asked = { messages: "How long?" };

/** A thread on which mail waits for a yes. Each agent stands for another process. */
async function waiting(kind: (typeof databases)[number]) {
  const { threads } = await openKind(kind);
  const { sent, send } = mailer();
  const agent = (replies: Parameters<typeof asking>[0], options: Partial<AgentOptions> = {}) =>
    asking(replies, { tools: [send], approve: "effects", checkpointer: threads.checkpointer, ...options });
  const [request] = approvalRequests(await agent([call("send")]).invoke({ messages: "Mail Ann." }, thread));
  return { agent, sent, threads, request };
}

async function eventsOf(...given: Parameters<typeof streamTurn>) {
  const events = [];
  for await (const event of streamTurn(...given)) events.push(event);
  return events;
}

test.each(matrix(databases, sqlite))(
  "on $name a waiting call is dropped, and the new turn tells of it",
  async (kind) => {
    const { agent, sent, threads, request } = await waiting(kind);
    const asker = agent(["Soon."]);
    const [, dropped] = await eventsOf(asker, asked, thread);
    expect(dropped).toMatchObject({ type: "dropped", questions: [{ value: { requests: [{ id: request?.id }] } }] });
    expect((await asker.getState(thread)).next).toEqual([]);
    expect((await threads.history("t")).turns[0]).toMatchObject({
      answer: expect.stringContaining("send did not run"),
    });
    expect(sent).toEqual([]);
  },
);

test.each(matrix(databases, sqlite))("on $name a waiting call is refused a question, and waits on", async (kind) => {
  const { agent, sent, request } = await waiting(kind);
  const strict = agent(["It is sent."], { whileWaiting: "refuse" });
  const before = await strict.getState(thread);
  await expect(strict.invoke(asked, thread)).rejects.toEqual(coded(ThreadError, "decision-missing"));
  expect(await strict.getState(thread)).toEqual(before);
  await strict.invoke(decide({ [String(request?.id)]: "approve" }), thread);
  expect(sent).toEqual(["mail"]);
});

test.each(matrix(databases, sqlite))(
  "on $name a waiting call is kept over several questions, and then made once",
  async (kind) => {
    const { agent, sent, request } = await waiting(kind);
    const keep = { configurable: { ...thread.configurable, while_waiting: "keep" } };
    const first = await agent(["Soon."]).invoke(asked, keep);
    expect(first).toMatchObject({ answer: "Soon.", stopReason: "answered", kept: [] });
    // The next turn waits itself, for a second mail.
    const second = await agent([call("send")]).invoke({ messages: "Mail Bob." }, keep);
    expect(second).toMatchObject({ kept: [{ tool: "send" }] });
    const [bob] = approvalRequests(second);
    await agent(["Bob has it."]).invoke(decide({ [String(bob?.id)]: "approve" }), thread);
    // A call that is asked about again is kept again.
    const third = await agent(["Both."]).invoke(asked, keep);
    const [again] = approvalRequests(third);
    expect(third).toMatchObject({ answer: "Both.", kept: [], turn: { number: 4 } });
    expect([again?.id === request?.id, again?.tool, sent.length]).toEqual([false, "send", 1]);
    const late = agent([]).invoke(decide({ [String(request?.id)]: "approve" }), thread);
    await expect(late).rejects.toThrow(NotWaitingError);
    const end = await agent([]).invoke(decide({ [String(again?.id)]: "approve" }), thread);
    expect(end).toMatchObject({ answer: "Both.", intermediateSteps: [{ results: [{ status: "success" }] }] });
    expect([sent.length, (await agent([]).getState(thread)).next]).toEqual([2, []]);
  },
);

test("a call that asks by itself is asked again, and an unknown way is refused", async () => {
  const sure = toolOf("sure", () => interrupt("Sure?"));
  const { threads } = await openKind(sqlite);
  const agent = (...replies: Parameters<typeof asking>[0]) =>
    asking(replies, { tools: [sure], whileWaiting: "keep", checkpointer: threads.checkpointer, taint: undefined });
  await agent(call("sure")).invoke({ messages: "Ask me." }, thread);
  const way = { configurable: { ...thread.configurable, while_waiting: "shout" } };
  await expect(agent().invoke(asked, way)).rejects.toThrow('give one of "refuse", "keep", "drop"');
  expect(await agent("Soon.").invoke(asked, thread)).toMatchObject({ __interrupt__: [{ value: "Sure?" }] });
  expect(await agent().invoke(new Command({ resume: "yes" }), thread)).toMatchObject({ answer: "Soon." });
});
