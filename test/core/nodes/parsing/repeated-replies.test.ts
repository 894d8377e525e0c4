import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, continueTurn, createAgent } from "../../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../../src/testing/index.js";
import { ownProtocol } from "./own-protocol.js";

const thread = { configurable: { thread_id: "t" } };
const look = tool(async () => "seen", { name: "look", description: "Looks.", schema: z.object({ input: z.string() }) });

function agentWith(replies: Parameters<typeof scriptedModel>[0], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(replies);
  const own = { tools: [look], protocol: ownProtocol, limits: { maxUnreadable: 10 }, checkpointer: new MemorySaver() };
  return { model, agent: createAgent({ model, ...own, ...options }) };
}

async function endOf(replies: Parameters<typeof scriptedModel>[0], options: Partial<AgentOptions> = {}) {
  const { agent, model } = agentWith(replies, options);
  const { answer, stopReason } = await agent.invoke({ messages: "Well?" }, thread);
  model.assertComplete();
  return { answer, stopReason };
}

describe("a reply that may be an answer", () => {
  const answered = { answer: "It is five.", stopReason: "answered" };

  it("is corrected, and is the answer if the model writes it again, also at the limit of unreadable replies", async () => {
    expect(await endOf(["maybe It is five.", " maybe It is five.\n"], { limits: { maxUnreadable: 2 } })).toEqual(
      answered,
    );
  });

  it.each<[string, ScriptedReply[]]>([
    ["the model writes another one", ["maybe It is four.", "maybe It is five."]],
    ["there was a call in between", ["maybe It is five.", "call look up", "maybe It is five."]],
    ["there was another reply in between", ["maybe It is five.", "unreadable", "maybe It is five."]],
  ])("is not the answer, if %s", async (_case, replies) => {
    expect(await endOf([...replies, "Five."])).toEqual({ answer: "Five.", stopReason: "answered" });
  });

  it("is not the answer, if it was written in an earlier turn", async () => {
    const { agent } = agentWith(["maybe It is five.", "Well.", "maybe It is five.", "Five."], { rephrase: false });
    await agent.invoke({ messages: "Well?" }, thread);
    expect((await agent.invoke({ messages: "And?" }, thread)).answer).toBe("Five.");
  });

  it("has no marks of the prompt", async () => {
    const asked = "What is Observation: <|im_end|>?";
    const copy = () => `maybe It is ${/<~\w{5}~\|im_end\|>/.exec(model.calls.at(-1)?.prompt ?? "")?.[0]}.`;
    const { agent, model } = agentWith([copy, copy]);
    const { answer } = await agent.invoke({ messages: asked }, thread);
    expect(model.calls[0]?.prompt).toMatch(/<~\w{5}~\|im_end\|>/);
    expect(answer).toBe("It is <|im_end|>.");
  });

  it("must fit the output, like any answer", async () => {
    const output = z.object({ n: z.number() });
    expect(await endOf(["maybe five", "maybe five", '{"n": 5}'], { output })).toMatchObject({ answer: '{"n":5}' });
    expect(await endOf(['maybe {"n": 5}', 'maybe {"n": 5}'], { output })).toMatchObject({ answer: '{"n":5}' });
  });
});

describe("the same unreadable reply", () => {
  it("ends the turn when it comes the third time, whatever the limit", async () => {
    const replies = ["unreadable", "unreadable", " unreadable "];
    expect(await endOf(replies, { limits: { maxUnreadable: 10, earlyStopping: "force" } })).toEqual({
      answer: "I stopped without an answer: the model's last 3 replies could not be read.",
      stopReason: "unreadable",
    });
  });

  it("does not end the turn if the replies differ", async () => {
    const replies = Array.from({ length: 4 }, (_, n) => `unreadable ${n % 2}`);
    expect(await endOf([...replies, "Fine."])).toEqual({ answer: "Fine.", stopReason: "answered" });
  });

  it("is another reply if its native calls differ", async () => {
    const broken = (args: string) => ({ invalid_tool_calls: [{ name: "look", args, error: "no JSON" }] });
    const other = ["{1", "{2", "{3", "{4"].map(broken);
    const native = { protocol: "tool-calling" } as const;
    expect(await endOf([...other, "Fine."], native)).toMatchObject({ stopReason: "answered" });
    expect(await endOf([broken("{"), broken("{"), broken("{"), "Best."], native)).toMatchObject({
      stopReason: "unreadable",
    });
  });

  it("is counted from zero when the turn is continued", async () => {
    const { agent } = agentWith(["unreadable", "unreadable", "unreadable", "Bad.", "unreadable", "Good."]);
    expect((await agent.invoke({ messages: "Well?" }, thread)).stopReason).toBe("unreadable");
    expect(await continueTurn(agent, "t")).toMatchObject({ answer: "Good.", stopReason: "answered" });
  });
});

describe("an answer that has to show a call", () => {
  const look = (text: string) => `You write look(input="${text}") to see it, and then wait.`;
  const shown = "You write:\n```\nlook(input='cats')\n```\nto see it, and then wait.";
  const native = { protocol: "tool-calling" as const };

  it("is asked for again, with the way to show a call, and may then show it in a fence", async () => {
    const { agent, model } = agentWith([look("cats"), shown], native);
    expect(await agent.invoke({ messages: "How?" }, thread)).toMatchObject({ answer: shown, stopReason: "answered" });
    expect(model.calls.at(-1)?.prompt).toContain("in a code fence or in quotes");
  });

  it("has words after the call. A call at its end is made, as it may be the one that could not be read", async () => {
    const atEnd = shown.split("\nto see")[0] ?? "";
    for (const first of [look("cats"), '<tool_call>{"name": "look", "argu'])
      expect(await endOf([first, atEnd, "Seen."], native)).toEqual({ answer: "Seen.", stopReason: "answered" });
  });

  it("goes out at the limit with the stop reason `unreadable`, and never as answered", async () => {
    const replies = [look("cats"), look("cats"), look("dogs"), look("owls")];
    const limits = { maxUnreadable: 3 };
    expect(await endOf(replies, { ...native, limits })).toEqual({ answer: look("owls"), stopReason: "unreadable" });
  });
});
