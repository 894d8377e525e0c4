import { describe, expect, it } from "vitest";
import { reopenTurn } from "../../../src/index.js";
import type { Sent } from "../../helpers/lines.js";
import { look, openTalk } from "./talk.js";
import { call, chat, recorded, said } from "./ways.js";

describe("a turn that did not end with an answer", () => {
  const paid = look("paid, receipt 77");

  it("is shown with its finished call after a failure", async () => {
    await using talk = await openTalk({ line: chat({ calls: [call("a")] }, said("5.")), tools: [paid] }, 1);
    await expect(talk.ask("Pay.")).rejects.toThrow();
    const [sent] = await talk.ask("Did it work?");
    expectPaid(sent);
  });

  it("has the result of the call that had finished when its step was cancelled", async () => {
    const cancelling = new AbortController();
    const pay = async ({ q }: { q: string }) => {
      if (q === "a") return "paid, receipt 77";
      await expect.poll(() => talk.events.some(({ type }) => type === "observation")).toBe(true);
      cancelling.abort(new Error("enough"));
      return new Promise(() => {});
    };
    const line = chat({ calls: [call("a"), call("b")] }, said("5."));
    await using talk = await openTalk({ line, tools: [Object.assign(look(pay), { metadata: { effects: true } })] });
    await expect(talk.ask("Pay.", { signal: cancelling.signal })).rejects.toThrow("enough");
    const [sent] = await talk.ask("Did it work?");
    expectPaid(sent);
    expect(sent?.find(({ tool_call_id: id }) => id === "b")?.content).not.toContain("receipt");
  });

  it("has a note that it ended at a limit", async () => {
    const line = chat({ calls: [call("a")] }, { calls: [call("b")] }, said("So far 5."), said("Cinq."));
    await using talk = await openTalk({ line, tools: [paid], options: { limits: { maxSteps: 1 } } });
    await talk.ask("Pay.");
    const [sent] = await talk.ask("Did it work?");
    expectPaid(sent);
    expect(JSON.stringify(sent)).toMatch(/limit/i);
  });

  it("has a note on the call that waited for a person", async () => {
    const line = chat({ calls: [call("a")] }, said("5."));
    await using talk = await openTalk({ line, tools: [paid], options: { approve: "always" } });
    await talk.ask("Pay.");
    const [sent] = await talk.ask("Did it work?");
    expect(sent?.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", "tool"]);
    expect(JSON.stringify(sent)).not.toContain("receipt 77");
  });

  function expectPaid(sent: readonly Sent[] | undefined): void {
    const index = sent?.findIndex(({ tool_call_id: id }) => id === "a") ?? -1;
    expect(sent?.[index]).toMatchObject({ role: "tool", content: "paid, receipt 77" });
    expect(JSON.stringify(sent?.[index - 1])).toContain('"id":"a"');
    expect(sent?.at(-1)).toMatchObject({ role: "user", content: "Did it work?" });
  }
});

it("a reply that the server paused is sent back unchanged, also if a limit came before its turn was continued", async () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
  const paused = { content: [search], response_metadata: { stop_reason: "pause_turn" } };
  const line = recorded(paused, paused, said("No."), said("It is 5."));
  await using talk = await openTalk({ line, options: { limits: { maxSteps: 1 } } });
  const [, again] = await talk.ask("One?");
  expect(again?.at(-1)).toMatchObject({ type: "ai", content: [search] });
  await reopenTurn(talk.agent, talk.thread.configurable.thread_id);
  const [sent] = await talk.ask(null);
  expect(sent?.slice(-2)).toMatchObject([
    { type: "ai", content: [search] },
    { type: "ai", content: [search] },
  ]);
  expect((await talk.agent.getState(talk.thread)).values).toMatchObject({ answer: "It is 5.", stopReason: "answered" });
});

it("a reply whose actions a limit stopped is carried out unchanged when the turn is continued", async () => {
  const thought = { type: "thinking", thinking: "I look.", signature: "s1" };
  const step = {
    content: [thought, { type: "tool_use", id: "a", name: "look", input: { q: "a" } }],
    tool_calls: [{ id: "a", name: "look", args: { q: "a" } }],
  };
  const other = { ...step, content: [thought], tool_calls: [{ id: "b", name: "look", args: { q: "b" } }] };
  const line = recorded(step, other, said("It is 5."));
  await using talk = await openTalk({
    line,
    tools: [look("5")],
    options: { limits: { maxSteps: 1, earlyStopping: "force" } },
  });
  await talk.ask("One?");
  const ended = (await talk.agent.getState(talk.thread)).values;
  expect(ended.messages.at(-1)).toMatchObject({ content: expect.stringMatching(/^I stopped/), additional_kwargs: {} });
  await reopenTurn(talk.agent, talk.thread.configurable.thread_id);
  const [sent] = await talk.ask(null);
  expect(sent?.at(-2)).toMatchObject({ content: [thought], tool_calls: [{ id: "b" }] });
});
