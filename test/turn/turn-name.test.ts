import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { nameTurn, outerNodeOf, turnName } from "../../src/turn/turn-name.js";

const question = (id: string) => new HumanMessage({ id, content: "Why?" });
const turn = { number: 3, asked: "Why?", startedAt: "2026-11-21T12:00:00.000Z" };

describe("the name of a turn", () => {
  it("is its number in a conversation of the agent's own, and in threads of an older Glassloop", () => {
    expect(nameTurn(3, [new AIMessage({ id: "2-answer", content: "So." }), question("q")])).toBe("3");
    expect(turnName(turn)).toBe("3");
    expect(turnName({ ...turn, name: "f00" })).toBe("f00");
  });

  it("is another one where the number is taken, and the same when the turn begins again", () => {
    const messages = [new AIMessage({ id: "3-answer", content: "So." }), question("q")];
    expect(nameTurn(3, messages)).toMatch(/^[0-9a-f]{12}$/);
    expect(nameTurn(3, messages)).toBe(nameTurn(3, messages));
  });

  it("differs from question to question, from turn to turn and from node to node of an outer graph", () => {
    const names = [
      nameTurn(1, [question("a")], "ask:1"),
      nameTurn(1, [question("b")], "ask:1"),
      nameTurn(2, [question("a")], "ask:1"),
      nameTurn(1, [question("a")], "ask:2"),
    ];
    expect(new Set(names).size).toBe(4);
  });

  it("tells an outer node by where LangGraph's checkpoints are", () => {
    expect(outerNodeOf({ configurable: { checkpoint_ns: "rephrase-question:1" } })).toBeUndefined();
    expect(outerNodeOf({ configurable: { checkpoint_ns: "ask:1|rephrase-question:2" } })).toBe("ask:1");
    expect(outerNodeOf({})).toBeUndefined();
  });
});
