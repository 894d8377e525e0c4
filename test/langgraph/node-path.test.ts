import { expect, it } from "vitest";
import { isInOuterGraph } from "../../src/langgraph/node-path.js";

it("a node's graph is in an outer graph if LangGraph keeps its checkpoints below a node of that", () => {
  expect(isInOuterGraph({ configurable: { checkpoint_ns: "rephrase-question:1" } })).toBe(false);
  expect(isInOuterGraph({ configurable: { checkpoint_ns: "ask:1|rephrase-question:2" } })).toBe(true);
  expect(isInOuterGraph({})).toBe(false);
});
