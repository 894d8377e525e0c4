import { expect, it } from "vitest";
import { STATE_VERSION } from "../../../src/agent/graph/state-version.js";
import { actionResultSchema, decisionSchema, stopReasonSchema } from "../../../src/turn/decision.js";
import { AgentState } from "../../../src/turn/state.js";

it("the state has a new version when it has new words: an older Glassloop refuses a thread that it cannot read", () => {
  expect({
    version: STATE_VERSION,
    channels: Object.keys(AgentState.fields),
    stopReasons: stopReasonSchema.options,
    decisions: decisionSchema.options.map(({ shape }) => shape.kind.value),
    statuses: actionResultSchema.shape.status.options,
  }).toEqual({
    version: 7,
    channels: [
      "messages",
      "turn",
      "question",
      "reply",
      "prompt",
      "quietCalls",
      "decision",
      "intermediateSteps",
      "sources",
      "retrieval",
      "chatHistory",
      "answer",
      "output",
      "stopReason",
      "usage",
      "workedMs",
    ],
    stopReasons: [
      "answered",
      "returned",
      "length",
      "refused",
      "not-found",
      "ungrounded",
      "step-limit",
      "tool-call-limit",
      "model-call-limit",
      "token-limit",
      "cost-limit",
      "time-limit",
      "repeats",
      "stop-condition",
      "unreadable",
      "invalid-output",
      "filtered",
      "cancelled",
      "interrupted",
      "failed",
    ],
    decisions: ["action", "finish", "unparseable"],
    statuses: ["success", "error", "unknown"],
  });
});
