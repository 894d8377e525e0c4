import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver, Overwrite } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { joinOutside } from "../../src/core/state/outside.js";
import {
  type Agent,
  type AgentOptions,
  approvalRequests,
  edit,
  openThreads,
  regenerate,
  replay,
  streamTurn,
} from "../../src/index.js";
import { memory, sqlite } from "../matrix/databases.js";
import { matrix } from "../matrix/matrix.js";
import { memorySaver, savers } from "../matrix/savers.js";
import { openKind } from "../threads/open-kind.js";
import { asking, call, failingPage, inner, mailer, page, reasons, thread, toolOf } from "./tainted.js";

describe("text from outside stays in a thread", () => {
  it.each(matrix(savers, memorySaver))(
    "kept by $kept for another agent, which lacks the tool that brought the text, even if the tool failed",
    async ({ open }) => {
      const checkpointer = await open();
      const { sent, send } = mailer();
      const first = asking([call("page"), "It failed."], { tools: [failingPage], taint: "ignore", checkpointer });
      await first.invoke({ messages: "Read." }, thread);
      const next = asking([call("send"), "Sent."], { tools: [send], checkpointer });
      const stopped = await next.invoke({ messages: "Go on." }, thread);
      expect(reasons(stopped)).toEqual([expect.stringMatching(/of page \(since \d{4}-\d\d-\d\d \d\d:\d\d UTC\)/)]);
      expect(sent).toEqual([]);
    },
  );

  it("when its messages are removed, and when the state is updated", async () => {
    const agent = asking([call("page"), "Hm.", call("send"), "Sent."], { tools: [page, mailer().send] });
    const { messages } = await agent.invoke({ messages: "Read." }, thread);
    const removed = messages.map(({ id = "" }) => new RemoveMessage({ id }));
    await agent.updateState(thread, { messages: removed, outside: [] });
    for (const value of [new Overwrite([]), { __overwrite__: [] }]) {
      await expect(agent.updateState(thread, { outside: value as never })).rejects.toThrow("stays in a thread");
    }
    expect(reasons(await agent.invoke({ messages: "Go on." }, thread))).toHaveLength(1);
  });

  it("also if it comes in the middle of a turn, in a message of another agent", async () => {
    const { sent, send } = mailer();
    const agent = asking([call("look"), call("send"), "Sent."], { tools: [toolOf("look", () => "Seen."), send] });
    await agent.invoke({ messages: "Go." }, { ...thread, interruptBefore: ["act"] });
    await agent.updateState(thread, { messages: [new AIMessage({ content: "Send it.", name: "other" })] }, "parse");
    expect(reasons(await agent.invoke(null, thread))).toEqual([expect.stringContaining("of other (since 20")]);
    expect(sent).toEqual([]);
  });
});

describe("a thread that goes back loses later text from outside", () => {
  const turns = async () => {
    const { sent, send } = mailer();
    const replies = ["Hello.", call("page"), "Hm.", call("send"), "Sent.", call("send"), "Sent."];
    const agent = asking(replies, { tools: [page, send] });
    await agent.invoke({ messages: "Hello." }, thread);
    const { config: before } = await agent.getState(thread);
    await agent.invoke({ messages: "Read." }, thread);
    return { agent, sent, before };
  };

  it.each<[string, (agent: Agent) => ReturnType<Agent["invoke"]>]>([
    ["an answer generated again", (agent) => regenerate(agent, "t")],
    ["another question", (agent) => edit(agent, "t", "Send.")],
  ])("by %s", async (_name, again) => {
    const { agent, sent } = await turns();
    expect(await again(agent)).toMatchObject({ answer: "Sent.", outside: [] });
    expect(sent).toEqual(["mail"]);
  });

  it("by a fork before the text, but not by a fork after it", async () => {
    const { agent, sent, before } = await turns();
    const { config: after } = await agent.getState(thread);
    expect(await agent.invoke({ messages: "Send." }, before)).toMatchObject({ answer: "Sent." });
    expect(sent).toEqual(["mail"]);
    const fork = await agent.updateState(after, { messages: [new HumanMessage("Send.")] }, "__start__");
    expect(reasons(await agent.invoke(null, fork))).toHaveLength(1);
  });

  it("but not by a step that is replayed after the text", async () => {
    const { agent } = await turns();
    const { parentConfig } = await agent.getState(thread);
    const { configurable } = (await agent.getState(parentConfig ?? {})).parentConfig ?? {};
    expect(reasons(await replay(agent, "t", String(configurable?.checkpoint_id)))).toHaveLength(1);
  });
});

it("text from outside is in forks of a thread", async () => {
  const { threads } = await openKind(memory);
  const { send } = mailer();
  const { checkpointer } = threads;
  const agent = asking([call("page"), "Hm.", call("send"), "Sent."], { tools: [page, send], checkpointer });
  await agent.invoke({ messages: "Read." }, thread);
  const { config } = await agent.getState(thread);
  await threads.fork("t", String(config.configurable?.checkpoint_id), "copy");
  const at = { configurable: { thread_id: "copy" } };
  expect(reasons(await agent.invoke({ messages: "Go on." }, at))).toHaveLength(1);
});

describe("a turn that stopped", () => {
  it.each([
    ["goes on", null],
    ["is followed by another", { messages: "Send." }],
  ])("after a tool had brought text from outside has its source on record when it %s", async (_name, input) => {
    const waits = [true, false];
    const clock = toolOf("clock", () => (waits.shift() ? new Promise(() => {}) : "Noon."));
    const agent = asking([call("page", "clock"), call("send"), "Sent."], { tools: [page, mailer().send, clock] });
    const cancelling = new AbortController();
    const turn = streamTurn(agent, { messages: "Read." }, { ...thread, signal: cancelling.signal });
    const stopped = (async () => {
      for await (const { type } of turn) if (type === "observation") cancelling.abort(new Error("enough"));
    })();
    await expect(stopped).rejects.toThrow("enough");
    expect(reasons(await agent.invoke(input, thread))).toHaveLength(1);
  });

  it("before it began has the text from outside of its question", async () => {
    const { send } = mailer();
    const memory = { name: "none", remember: () => Promise.reject(new Error("No memory.")) };
    const checkpointer = new MemorySaver();
    const picture = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
    const first = asking([], { memory, checkpointer });
    const messages = [new HumanMessage({ content: [{ type: "text", text: "See." }, picture] })];
    await expect(first.invoke({ messages }, thread)).rejects.toThrow("No memory.");
    const next = asking([call("send"), "Sent."], { tools: [send], checkpointer });
    expect(reasons(await next.invoke({ messages: "Go on." }, thread))).toEqual([expect.stringContaining("image/png")]);
  });
});

it("a thread that waits asks again when its database is opened again, where a page of an agent in a tool counts, too", async () => {
  const { url, remove } = await sqlite.create();
  const reader = inner([call("page"), "It says: send."], { tools: [page] });
  const research = toolOf("research", async () => (await reader.invoke({ messages: "Read." })).answer);
  async function run(replies: Parameters<typeof asking>[0], input: { messages: string } | null) {
    await using threads = await openThreads(url);
    const { checkpointer } = threads;
    return reasons(await asking(replies, { tools: [research, mailer().send], checkpointer }).invoke(input, thread));
  }
  expect(await run([call("research"), "It says: send."], { messages: "Go." })).toEqual([]);
  const why = [expect.stringContaining("of page (since ")];
  expect(await run([call("send")], { messages: "Go." })).toEqual(why);
  expect(await run([], null)).toEqual(why);
  await remove();
});

describe("a question", () => {
  const image = { type: "image", mimeType: "image/png", url: "https://example.org/cat.png" };
  const ask = async (content: unknown, more: object = {}) => {
    const agent = asking([call("send"), "Sent."], { tools: [mailer().send] });
    return agent.invoke({ messages: [new HumanMessage({ content: content as string, ...more })] }, thread);
  };

  it.each<[string, unknown, string]>([
    ["an image that is fetched", [image], "https://example.org/cat.png"],
    ["a file", [{ type: "file", mimeType: "application/pdf", data: "JVBERi0=", metadata: { name: "a.pdf" } }], "a.pdf"],
    ["a text file in a block", [{ type: "text-plain", text: "Send it.", mimeType: "text/plain" }], "text-plain"],
  ])("with %s brings text from outside", async (_name, blocks, source) => {
    const content = [{ type: "text", text: "See." }, ...(Array.isArray(blocks) ? blocks : [])];
    expect(reasons(await ask(content))).toEqual([expect.stringContaining(source)]);
  });

  it("brings text that its program marks", async () => {
    const response_metadata = { outside: [{ source: "mail\n.txt" }] };
    expect(reasons(await ask("Send it.", { response_metadata }))).toEqual([
      expect.stringContaining("of mail .txt (since 20"),
    ]);
  });

  it.each([["Send it."], [[{ type: "text", text: "Send it." }]]])(
    "of words alone brings no text from outside: %j",
    async (content) => {
      expect(await ask(content)).toMatchObject({ answer: "Sent.", outside: [] });
    },
  );
});

describe("a thread of an older version", () => {
  /** Makes a thread as it was kept without the channel, and without what messages say. */
  async function older(tools: AgentOptions["tools"], replies: Parameters<typeof asking>[0]) {
    const checkpointer = new MemorySaver();
    const agent = asking(replies, { tools, checkpointer });
    await agent.invoke({ messages: "Read." }, thread);
    const tuple = await checkpointer.getTuple(thread);
    if (tuple === undefined) throw new Error("There is a checkpoint.");
    const { outside: _, messages, ...values } = tuple.checkpoint.channel_values;
    for (const message of messages as AIMessage[]) message.response_metadata = {};
    const { outside: _version, ...channel_versions } = tuple.checkpoint.channel_versions;
    const checkpoint = { ...tuple.checkpoint, channel_versions };
    await checkpointer.put(
      tuple.parentConfig ?? tuple.config,
      { ...checkpoint, channel_values: { ...values, messages } },
      { source: "loop", step: 99, parents: {} },
    );
    return checkpointer;
  }

  it.each<[string, AgentOptions["tools"], string, number]>([
    ["asks after a page", [page], "page", 1],
    ["asks after a tool that is gone", [toolOf("gone", () => "Send.")], "gone", 1],
    ["does not ask after its own words", [], "nothing", 0],
  ])("%s, in its next turns", async (_name, tools, named, asked) => {
    const checkpointer = await older(tools, named === "nothing" ? ["Hello."] : [call(named), "Hm."]);
    const agent = asking(["Well.", call("send"), "Sent."], { tools: [page, mailer().send], checkpointer });
    const { outside } = await agent.invoke({ messages: "And now?" }, thread);
    expect(outside).toHaveLength(asked);
    expect(reasons(await agent.invoke({ messages: "Send." }, thread))).toHaveLength(asked);
  });

  it("asks in the middle of a turn", async () => {
    const checkpointer = await older([page], [call("page"), "Hm."]);
    const agent = asking([], { tools: [page, mailer().send], checkpointer });
    const id = "aaaaaaaaaaaa";
    const decision = { kind: "action" as const, actions: [{ id: `${id}-1`, tool: "send", toolInput: {}, log: "" }] };
    const reply = { id, text: "", toolCalls: [], invalidToolCalls: [] };
    await agent.updateState(thread, { reply, decision, stopReason: null }, "parse");
    expect(approvalRequests(await agent.invoke(null, thread))).toHaveLength(1);
  });
});

it("names at most twenty sources, the first of each", () => {
  const many = Array.from({ length: 30 }, (_, n) => ({ source: `page ${n}`, since: String(n) }));
  const joined = joinOutside(many.slice(0, 3), [{ source: "page 1", since: "later" }, ...many]);
  expect(joined).toEqual(many.slice(0, 20));
});
