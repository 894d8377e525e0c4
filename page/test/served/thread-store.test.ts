import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/index.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";
import { ThreadStore } from "../../src/client/thread-store.js";
import { type Served, serve, until } from "./served.js";

const calculates = { tool_calls: [{ name: "calculator", args: { expression: "2 + 2" } }] };

function serveReplies(replies: ScriptedReply[]): Promise<Served> {
  const agent = createAgent({ model: scriptedModel(replies), tools: [calculator()], protocol: "tool-calling" });
  return serve({ agent });
}

function opened(served: Served, id?: string): ThreadStore {
  const store = new ThreadStore(served, id);
  onTestFinished(store.open());
  return store;
}

const isOver = ({ run, turns }: ReturnType<ThreadStore["get"]>) =>
  run === undefined && turns.length > 0 && turns.every(({ kept }) => kept);

test("a question makes a thread, its turn grows, and is kept", async () => {
  const served = await serveReplies([calculates, "It is **4**."]);
  const store = opened(served);
  expect(await store.ask("What is 2 + 2?", "agent")).toBe(true);
  const { turns, listed, problem } = await until(store, isOver);
  expect(problem).toBeUndefined();
  expect(turns).toMatchObject([
    {
      number: 1,
      asked: "What is 2 + 2?",
      answer: "It is **4**.",
      stopReason: "answered",
      kept: { isWhole: true },
      steps: [{ kind: "action", calls: [{ tool: "calculator", result: "4" }] }, { kind: "finish" }],
    },
  ]);
  expect(listed).toMatchObject({ graph: "agent" });
  const again = opened(served, store.get().id);
  expect((await until(again, isOver)).turns).toMatchObject([{ answer: "It is **4**." }]);
});
