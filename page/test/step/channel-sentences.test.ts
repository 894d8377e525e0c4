import { expect, test } from "vitest";
import { type Change, changeName, changeSentence } from "../../src/step/channel-sentences.js";

const list = { at: 0, removed: [], added: [], length: 0 };

test.each<readonly [Change, name: string, sentence: string]>([
  [{ ...list, channel: "messages", added: [1, 2], length: 9 }, "messages", "+2 messages, 9 in all"],
  [{ ...list, channel: "intermediateSteps", added: [1], length: 1 }, "intermediateSteps", "+1 step, 1 in all"],
  [
    { ...list, channel: "messages", added: [1], removed: [1, 2], length: 3 },
    "messages",
    "+1 message and −2 messages, 3 in all",
  ],
  [{ ...list, channel: "messages", removed: [1], length: undefined }, "messages", "is empty now"],
  [{ ...list, channel: "kept", length: 0 }, "kept", "0 in all"],
  [{ ...list, channel: "mine", field: "rows", added: [1], length: 10_000 }, "mine.rows", "+1 item, 10,000 in all"],
  [
    { channel: "usage", after: { turn: { modelCalls: 6, toolCalls: 1, inputTokens: 3565, outputTokens: 233 } } },
    "usage",
    "6 model calls, 1 tool call, 3,565 tokens in, 233 out in this turn",
  ],
  [{ channel: "reply", after: { toolCalls: [{}, {}], text: "I look." } }, "reply", "2 native calls"],
  [{ channel: "reply", after: { toolCalls: [], text: "Yes." } }, "reply", "4 characters of text"],
  [
    { channel: "decision", after: { kind: "action", actions: [{ tool: "refund" }, { tool: "send_mail" }] } },
    "decision",
    "call refund and send_mail",
  ],
  [
    { channel: "decision", after: { kind: "action", actions: Array.from({ length: 120 }, () => ({ tool: "a" })) } },
    "decision",
    "call a, a, a, a, a and 115 more",
  ],
  [{ channel: "decision", after: { kind: "finish", stopReason: "answered" } }, "decision", "the answer (answered)"],
  [
    { channel: "decision", after: { kind: "unparseable", why: "It has no action." } },
    "decision",
    "the reply is not followed: It has no action.",
  ],
  [{ channel: "stopReason", after: "step-limit" }, "stopReason", "the turn ended: step-limit"],
  [{ channel: "answer", before: "a", after: null }, "answer", "is empty now"],
  [{ channel: "answer", after: `${"long ".repeat(100)}` }, "answer", `“${"long ".repeat(100).slice(0, 119)}…”`],
  [{ channel: "workedMs", before: 1, after: 964 }, "workedMs", "1.0 s of work so far"],
  [{ channel: "turn", after: { number: 3 } }, "turn", "turn 3 began"],
  [{ channel: "mine", after: 1 }, "mine", "is new"],
  [{ channel: "mine", before: 1, after: 2 }, "mine", "has another value"],
  [{ channel: "decision", after: "of another graph" }, "decision", "is new"],
])("says what changed: %j", (change, name, sentence) => {
  expect([changeName(change), changeSentence(change)]).toEqual([name, sentence]);
});
