import { describe, expect, it } from "vitest";
import type { Reply } from "../../../src/core/state/decision.js";
import { drawReplyId, replyIdOf } from "../../../src/core/state/reply-id.js";
import { noTurn } from "../../../src/core/state/state.js";

const turn = { ...noTurn, id: "9bd4e2a2-0f1e-4c0b-8f3a-0123456789ab" };
const reply: Reply = { text: "So.", toolCalls: [], invalidToolCalls: [] };

describe("the id of a reply", () => {
  it("differs at every draw, and is short enough for the ids of tool calls", () => {
    const drawn = new Set(Array.from({ length: 1000 }, drawReplyId));
    expect(drawn.size).toBe(1000);
    for (const id of drawn) expect(id).toMatch(/^[0-9a-f]{12}$/);
  });

  it("is kept in the state", () => {
    expect(replyIdOf({ reply: { ...reply, id: "f00" }, turn, intermediateSteps: [] })).toBe("f00");
  });

  it("is made of the turn and the step for a reply that a person wrote", () => {
    const step = { reply, decision: { kind: "unparseable" as const, why: "", correction: "" }, results: [] };
    expect(replyIdOf({ reply, turn, intermediateSteps: [] })).toBe("0123456789ab-1");
    expect(replyIdOf({ reply, turn, intermediateSteps: [step] })).toBe("0123456789ab-2");
  });
});
