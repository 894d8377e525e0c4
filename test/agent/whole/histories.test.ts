import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/index.js";
import { openLine, type Sent } from "../../helpers/lines.js";
import { matrix } from "../../matrix/matrix.js";
import { historyRows } from "./histories.js";
import { heldByBoth, look, openTalk, type Talk } from "./talk.js";
import { call, chat, recorded, said } from "./ways.js";

const usual = historyRows.filter(({ name }) => /two steps|signed thoughts|system message/.test(name));

describe.each(matrix(historyRows, ...usual))("a conversation that its caller keeps, with $name", ({ history }) => {
  it("is sent whole over HTTP, also when the agent keeps no thread", async () => {
    const { ours, theirs } = await heldByBoth({ line: chat(said("Yes.")), questions: [history()] });
    expect(ours.sent).toEqual(theirs.sent);
    await using line = await openLine(chat(said("Yes.")));
    await createAgent({ model: line.model, tools: [look()] }).invoke({ messages: history() });
    expect(line.sent()).toEqual(theirs.sent[0]);
  });

  it("is given to a model whole, now and in the next turn", async () => {
    const line = recorded(said("Yes."), said("No."));
    const { ours, theirs } = await heldByBoth({ line, questions: [history(), "And three?"] });
    expect(ours.sent).toEqual(theirs.sent);
  });
});

describe("what servers demand of a conversation", () => {
  const made = { type: "tool_call" as const, id: "a", name: "look", args: { q: "a" } };

  it("a tool call without a result gets one that says so, right after the call", async () => {
    await using talk = await openTalk({ line: chat(said("Yes.")) });
    const asks = new AIMessage({ content: "I look.", tool_calls: [made, { ...made, id: "b" }] });
    const result = new ToolMessage({ content: "5", tool_call_id: "b", name: "look" });
    const [sent] = await talk.ask([new HumanMessage("One?"), asks, result, new HumanMessage("Two?")]);
    const told = sent?.map(rolesAndIds) ?? [];
    expect([told[0], told[1], told[4]]).toEqual(["user", "assistant a,b", "user"]);
    expect(told.slice(2, 4).sort()).toEqual(["tool a", "tool b"]);
    expect(sent?.find(({ tool_call_id: id }) => id === "b")?.content).toBe("5");
    expect(sent?.find(({ tool_call_id: id }) => id === "a")?.content).toMatch(/\w{3}/);
  });

  const question = new HumanMessage("One?");
  const result = new ToolMessage({ content: "receipt 77", tool_call_id: "a", name: "look" });
  const told = (name?: string) => [
    new AIMessage({ content: "I look.", tool_calls: [made], ...(name && { name }) }),
    result,
    new AIMessage({ content: "It is 5.", ...(name && { name }) }),
  ];

  it.each<[string, BaseMessage[], Partial<Talk>, string[]]>([
    ["a tool message without a tool call is", [question, result], {}, ["receipt 77"]],
    [
      "tool calls are, where no tools are bound,",
      [question, ...told()],
      { tools: [] },
      ["I look.", "look", "receipt 77", "It is 5."],
    ],
    [
      "messages of an agent with another name are",
      [question, ...told("researcher")],
      { options: { name: "writer" } },
      ["researcher", "receipt 77", "It is 5."],
    ],
  ])("%s shown as text", async (_what, history, more, texts) => {
    await using talk = await openTalk({ line: chat(said("Yes.")), ...more });
    const [sent] = await talk.ask([...history, new HumanMessage("Two?")]);
    expect(sent?.some((message) => message.role === "tool" || "tool_calls" in message)).toBe(false);
    for (const text of texts) expect(JSON.stringify(sent)).toContain(text);
  });

  it("its own messages stay messages", async () => {
    await using talk = await openTalk({
      line: chat({ calls: [call("a")] }, said("5."), said("Cinq.")),
      options: { name: "writer" },
    });
    await talk.ask("One?");
    const [sent] = await talk.ask("Two?");
    expect(sent?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  });

  it("no prompt ends in a message of the assistant", async () => {
    await using talk = await openTalk({ line: chat(said("5."), said("Cinq.")) });
    await talk.ask("One?");
    await talk.change([new AIMessage("And six.")]);
    const [sent] = await talk.ask("Two?");
    expect(sent?.at(-1)?.role).toBe("user");
    expect(JSON.stringify(sent)).toContain("And six.");
  });
});

/** A message as its role, with the ids of its calls or of its call. */
function rolesAndIds({ role, tool_calls: calls, tool_call_id: id }: Sent): string {
  const ids = calls === undefined ? id : Array.from(Object(calls), (one) => Object(one).id);
  return ids === undefined ? String(role) : `${role} ${ids}`;
}
