import { describe, expect, it } from "vitest";
import { type ApprovalDecision, approvalRequests, decide } from "../../../src/index.js";
import { look, openTalk } from "./talk.js";
import { call, chat, recorded, said, whole } from "./ways.js";

describe("ids of calls", () => {
  it("that a server repeats are made unique, also in one reply, each with its own result", async () => {
    const id = "functions.look:0";
    const line = chat({ calls: [call(id, "x"), call(id, "y")] }, { calls: [call(id, "z")] }, said("5."));
    await using talk = await openTalk({ line, tools: [look(({ q }: { q: string }) => `5 for ${q}`)] });
    const [, , sent] = await talk.ask("One?");
    const ids = sent?.flatMap(({ tool_calls: calls = [] }) => Array.from(Object(calls), (one) => Object(one).id)) ?? [];
    expect(ids[0]).toBe(id);
    expect(new Set(ids).size).toBe(3);
    const results = sent?.filter(({ role }) => role === "tool").map(({ tool_call_id: id, content }) => [id, content]);
    expect(results).toEqual(["x", "y", "z"].map((q, n) => [ids[n], `5 for ${q}`]));
  });

  it("that are repeated are replaced in blocks and in signatures kept by id, too", async () => {
    const thinking = (signature: string) => ({ type: "thinking", thinking: "Hm.", signature });
    const step = (signature: string) => ({
      content: [thinking(signature), { type: "tool_use", id: "c", name: "look", input: { q: signature } }],
      tool_calls: [{ id: "c", name: "look", args: { q: signature } }],
      additional_kwargs: { signatures: { c: signature } },
    });
    await using talk = await openTalk({ line: recorded(step("SIG1"), step("SIG2"), said("5.")) });
    const [, , sent] = await talk.ask("One?");
    const replies = sent?.filter(({ type }) => type === "ai").map((reply) => JSON.parse(JSON.stringify(reply))) ?? [];
    const [first, second] = replies;
    expect(first?.content).toEqual(step("SIG1").content);
    const id = second?.tool_calls[0].id;
    expect(id).not.toBe("c");
    expect(second?.content).toEqual([thinking("SIG2"), { type: "tool_use", id, name: "look", input: { q: "SIG2" } }]);
    expect(second?.additional_kwargs).toEqual({ signatures: { [id]: "SIG2" } });
  });

  it("are the provider's ids in messages, and the ids of actions in events", async () => {
    await using talk = await openTalk({ line: chat({ calls: [call("call_77")] }, said("5.")) });
    await talk.ask("One?");
    const [, asks, result] = await talk.messages();
    expect(asks).toMatchObject({ tool_calls: [{ id: "call_77" }] });
    expect(result).toMatchObject({ tool_call_id: "call_77" });
    expect(talk.events.find(({ type }) => type === "action")).toMatchObject({
      id: expect.not.stringMatching("call_77"),
    });
  });

  it("of messages are unique even if a server repeats them", async () => {
    const reply = (content: string) => ({ content, response_metadata: { id: "chatcmpl-1" } });
    await using talk = await openTalk({ line: recorded(reply("5."), reply("Cinq.")) });
    await talk.ask("One?");
    await talk.ask("Two?");
    expect((await talk.messages()).map(({ text }) => text)).toEqual(["One?", "5.", "Two?", "Cinq."]);
  });
});

describe("a call that could not be read", () => {
  it("stays whole beside the correction, and is not in the prompts of the next turn", async () => {
    const broken = { content: "Oops.", calls: [{ id: "a", name: "look", args: '{"q": x' }] };
    await using talk = await openTalk({ line: whole(broken, { calls: [call("b")] }, said("5."), said("Cinq.")) });
    const [, corrected, last] = await talk.ask("One?");
    expect(JSON.stringify(corrected)).toContain('{\\"q\\": x');
    expect(corrected?.at(-1)?.role).toBe("user");
    expect(last?.filter(({ role }) => role === "tool")).toHaveLength(1);
    const [sent] = await talk.ask("Two?");
    const shown = sent?.map(({ role, content }) => [role, content]);
    expect(shown).toEqual([
      ["user", "One?"],
      ["assistant", ""],
      ["tool", "5"],
      ["assistant", "5."],
      ["user", "Two?"],
    ]);
  });

  it("is sent as repaired, if it was repaired", async () => {
    const line = whole({ calls: [{ id: "a", name: "look", args: '{"q": "x",}' }] }, said("5."));
    await using talk = await openTalk({ line });
    const [, sent] = await talk.ask("One?");
    expect(sent?.[1]).toMatchObject({ tool_calls: [{ id: "a", function: { arguments: '{"q":"x"}' } }] });
    expect(sent?.[2]).toMatchObject({ role: "tool", tool_call_id: "a" });
  });

  it("is sent as a tool call, if it was read in the text", async () => {
    const text = 'I look. <tool_call>{"name": "look", "arguments": {"q": "x"}}</tool_call>';
    await using talk = await openTalk({ line: whole(said(text), said("5.")) });
    const [, sent] = await talk.ask("One?");
    const [id] = Array.from(Object(sent?.[1]?.tool_calls), (one) => Object(one).id);
    expect(sent?.[2]).toMatchObject({ role: "tool", tool_call_id: id });
  });

  it("keeps the thoughts of its reply, signed as they are", async () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "SIG1" };
    const broken = { type: "invalid_tool_call" as const, id: "a", name: "look", args: '{"q": "x",}', error: "no JSON" };
    const reply = {
      content: [thinking, { type: "tool_use", id: "a", name: "look", input: '{"q": "x",}' }],
      invalid_tool_calls: [broken],
    };
    await using talk = await openTalk({ line: recorded(reply, said("5.")) });
    const [, sent] = await talk.ask("One?");
    expect(sent?.[1]).toMatchObject({
      content: expect.arrayContaining([thinking]),
      tool_calls: [{ id: "a", args: { q: "x" } }],
    });
    expect(JSON.stringify(sent)).not.toContain('",}');
  });
});

describe("a decision of a person", () => {
  /** Decides about the call of a turn. Returns the call and its result as the next turn shows them. */
  async function decided(decision: ApprovalDecision) {
    const line = chat({ calls: [call("a", "x")] }, said("5."), said("Cinq."));
    const tools = [look(({ q }: { q: string }) => `5 for ${q}`)];
    await using talk = await openTalk({ line, tools, options: { approve: "always" } });
    await talk.ask("One?");
    const [request] = approvalRequests(await talk.agent.getState(talk.thread));
    await talk.agent.invoke(decide({ [request?.id ?? ""]: decision }), talk.thread);
    return (await talk.ask("Two?"))[0]?.slice(1) ?? [];
  }

  it("that edits a call leaves the call in messages unchanged, and notes the edit beside the result", async () => {
    const [asks, result] = await decided({ type: "edit", input: { q: "y" } });
    expect(asks).toMatchObject({ tool_calls: [{ id: "a", function: { arguments: '{"q":"x"}' } }] });
    expect(result?.content).toMatch(/^5 for y\nYou called look with /);
  });

  it("that refuses a call is the result of the call", async () => {
    const [, result] = await decided({ type: "refuse", reason: "It is too late." });
    expect(result).toMatchObject({ role: "tool", tool_call_id: "a" });
    expect(JSON.stringify(result)).toContain("It is too late.");
  });
});
