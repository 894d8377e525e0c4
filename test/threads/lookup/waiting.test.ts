import { tool } from "@langchain/core/tools";
import { Command, interrupt, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { RESUME } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../../src/agent/create-agent.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { Threads } from "../../../src/threads/open.js";
import { approvalRequests } from "../../../src/turns/approvals.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { databases, memory, sqlite } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { agentOn, answer } from "../agents.js";
import { at, openKind } from "../open-kind.js";

let paid: string[] = [];
const pay = tool(
  ({ to }) => {
    paid.push(to);
    return `paid ${to}`;
  },
  { name: "pay", description: "Pays.", schema: z.object({ to: z.string() }), metadata: { effects: true } },
);

function askingPayer({ checkpointer }: Threads) {
  paid = [];
  const call = (to: string) => ({ name: "pay", args: { to } });
  const model = scriptedModel([{ tool_calls: [call("Ann"), call("Bob")] }, "Done.", "Done again."]);
  return createAgent({ model, tools: [pay], protocol: "tool-calling", approve: "effects", checkpointer });
}

/** Keeps the answer to the question that waits, as a run does that is killed before it uses the answer. */
async function answerAndDie({ checkpointer }: Threads, answer: unknown): Promise<void> {
  const tuple = await checkpointer.getTuple(at("t"));
  const waiting = tuple?.pendingWrites?.find(([, channel]) => channel === "__interrupt__")?.[2];
  const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse([waiting].flat());
  await checkpointer.putWrites(tuple?.config ?? {}, [[RESUME, [answer]]], id);
}

describe.each(matrix(databases, memory))("the threads that wait in $name", (kind) => {
  test("are listed with their questions, the one written last first", async () => {
    const { threads } = await openKind(kind);
    const agent = askingPayer(threads);
    await agent.invoke({ messages: "Pay them." }, at("first"));
    await agentOn(threads, answer("Hello!")).invoke({ messages: "Hello?" }, at("idle"));
    const third = askingPayer(threads);
    await third.invoke({ messages: "Pay them." }, at("third"));
    const waiting = await threads.list({ waiting: true });
    expect(waiting.map(({ id, status }) => [id, status])).toEqual([
      ["third", "waiting"],
      ["first", "waiting"],
    ]);
    const requests = approvalRequests(await third.getState(at("third")));
    expect(waiting[0]?.interrupts).toMatchObject([{ value: { kind: "approval", requests } }]);
    expect((await threads.list({ waiting: true, limit: 1 })).map(({ id }) => id)).toEqual(["third"]);
    expect((await threads.list({ waiting: true, before: "third" })).map(({ id }) => id)).toEqual(["first"]);
    expect(await threads.get("idle")).not.toHaveProperty("interrupts");
  });

  test("wait no longer when a killed run left a resume value, and resume with it", async () => {
    const { threads } = await openKind(kind);
    const agent = askingPayer(threads);
    const [ann, bob] = approvalRequests(await agent.invoke({ messages: "Pay them." }, at("t")));
    await answerAndDie(threads, { [ann?.id ?? ""]: "approve", [bob?.id ?? ""]: "refuse" });
    expect(await threads.get("t")).toMatchObject({ status: "interrupted" });
    expect(await threads.list({ waiting: true })).toEqual([]);
    expect((await agent.invoke(null, at("t"))).answer).toBe("Done.");
    expect(paid).toEqual(["Ann"]);
  });

  test("wait again when an answer did not decide about all calls", async () => {
    const { threads } = await openKind(kind);
    const agent = askingPayer(threads);
    const [ann, bob] = approvalRequests(await agent.invoke({ messages: "Pay them." }, at("t")));
    const [{ id = "" } = {}] = (await threads.get("t"))?.interrupts ?? [];
    await agent.invoke(new Command({ resume: { [id]: { [ann?.id ?? ""]: "approve" } } }), at("t"));
    const [left, ...more] = (await threads.get("t"))?.interrupts ?? [];
    expect(more).toEqual([]);
    expect(left?.id).not.toBe(id);
    expect(left?.value).toMatchObject({ requests: [{ id: bob?.id }] });
    expect(approvalRequests(await agent.invoke(null, at("t"))).map(({ id }) => id)).toEqual([bob?.id]);
    expect(paid).toEqual([]);
  });
});

test("A graph of another kind that asks twice waits for the second answer, too", async () => {
  const { threads } = await openKind(memory);
  const graph = new StateGraph(new StateSchema({ said: z.string().optional() }))
    .addNode("ask", () => ({ said: `${interrupt("Who?")} ${interrupt("When?")}` }))
    .addEdge(START, "ask")
    .compile({ checkpointer: threads.checkpointer });
  await graph.invoke({}, at("t"));
  const [first] = (await threads.get("t"))?.interrupts ?? [];
  await graph.invoke(new Command({ resume: { [first?.id ?? ""]: "Ann" } }), at("t"));
  expect((await threads.get("t"))?.interrupts).toEqual([{ id: expect.any(String), value: "When?" }]);
});

test("A thread whose question cannot be read is listed as failed, beside the others", async () => {
  const { threads, url } = await openKind(sqlite);
  const agent = askingPayer(threads);
  await agent.invoke({ messages: "Pay them." }, at("t"));
  await querySqlite(url.slice("sqlite:".length), "update glassloop_writes set body = '[[' where position = -3");
  expect(await threads.list()).toMatchObject([{ id: "t", status: "failed" }]);
});
