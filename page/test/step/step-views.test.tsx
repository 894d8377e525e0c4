import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { CallsView } from "../../src/step/calls.js";
import { Data } from "../../src/step/data.js";
import { Content } from "../../src/step/message.js";
import { PromptView } from "../../src/step/prompt.js";
import { ReadingView } from "../../src/step/reading.js";
import { ReplyView } from "../../src/step/reply.js";
import type { Call, Step } from "../../src/turn/turn.js";
import type { Prompt } from "../../src/wire.js";
import { noTurn } from "../no-turn.js";

// Nothing is asked for while markup is made, and there is no address of a page.
vi.mock("../../src/client/server.js", () => ({ get: () => new Promise(() => {}) }));

const words = (node: ReactNode) =>
  renderToStaticMarkup(node)
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

const prompt: Prompt = {
  purpose: "reply",
  turn: 1,
  model: "small",
  protocol: "react",
  text: "",
  toolCalls: [],
  messages: [{ type: "tool", name: "fares", content: "549 kr" }],
  stop: ["\nObservation:"],
  tools: [{ name: "fares", description: "Prices." }],
  exact: true,
  same: 7,
  count: 8,
  next: null,
};
const promptWords = (fields: Partial<Prompt> = {}) =>
  words(
    <PromptView
      loaded={{ answer: { ...prompt, ...fields }, pathFrom: () => "" }}
      asked={{ model: "small", inputTokens: 100, cacheReadTokens: 76 }}
    />,
  );
const step: Step = { number: 1, kind: "action", calls: [], notes: [] };
const call: Call = { id: "r-1", tool: "refund", input: { order: 1, amount: 89.9 }, inner: [] };
const callWords = (fields: Partial<Call>) =>
  words(<CallsView thread="t" turn={noTurn} calls={[{ ...call, ...fields }]} kept={undefined} />);

test("a prompt is open at what is new, and folded before it", () => {
  expect(promptWords()).toBe(
    "7 messages as in the prompt before tool fares 549 kr 1 tool: fares model small protocol react stops at &quot;\\nObservation:&quot;",
  );
});

test("a prompt that may be another one says why, and one with more messages offers them", () => {
  expect(promptWords({ exact: false, differs: "It is worded anew.", next: 8, count: 10 })).toMatch(
    /^This may not be what was sent\. It is worded anew\. .* Show more: 2 left /,
  );
});

test("a prompt that does not come says why", () => {
  const loaded = { problem: "No checkpoint has it.", pathFrom: () => "" };
  expect(words(<PromptView loaded={loaded} asked={undefined} />)).toBe("No checkpoint has it.");
  expect(words(<PromptView loaded={loaded} asked={undefined} notYet="Not kept yet." />)).toBe("Not kept yet.");
});

test("a call that a person changed shows both inputs, marked", () => {
  const decided = { askedAt: "2026-11-29T10:00:00.000Z", at: "2026-11-29T10:00:03.000Z", by: "Ann" };
  const decision = { type: "edit" as const, input: { order: 1, amount: 44.95 } };
  const fields: Partial<Call> = { decision, decided, status: "success", result: "Done.", ms: 653 };
  expect(callWords(fields)).toBe(
    "refund 0.7 s approved with a change Copy input as written {&quot;order&quot;:1,&quot;amount&quot;:89.9} " +
      "as it ran order: 1 amount: 89.9 44.95 decided Ann changed its input, then it ran, after 3.0 s result Done.",
  );
});

test("a call that was refused shows what the model was told", () => {
  const decision = { type: "refuse" as const, reason: "Too much." };
  expect(callWords({ decision, status: "error", result: "A person refused it." })).toMatch(
    /refused Copy input .* decided you refused it: Too much\. told the model A person refused it\.$/,
  );
});

test("a step that runs shows what came so far", () => {
  const running: Step = { number: 1, calls: [], notes: [] };
  expect(words(<ReplyView step={running} writing="It is" kept={undefined} />)).toBe("model It is");
  expect(words(<ReplyView step={running} writing="" kept={undefined} />)).toBe("model Nothing came yet.");
  expect(words(<ReadingView step={running} kept={undefined} />)).toBe("read as not read yet");
});

test("a reply that could not be read says why, and what the model was told", () => {
  const decision = {
    kind: "unparseable" as const,
    why: "No action.",
    correction: "Write an action.",
    limit: "unreadable" as const,
  };
  const reply = { text: "Hm", toolCalls: [], invalidToolCalls: [], model: "small", protocol: "react" };
  const kept = { step: { reply, decision, results: [] }, place: { from: "", cut: [] } };
  expect(words(<ReadingView step={{ ...step, kind: "unparseable", why: "No action." }} kept={kept} />)).toBe(
    "read as a call that is not made protocol react why No action. limit unreadable told the model Write an action.",
  );
});

test("a long text is cut, and one that the server cut names its whole length", () => {
  expect(words(<Data value={"x".repeat(30_000)} />)).toMatch(/^x{20000} Show all 30,000 characters$/);
  const place = { from: "prompt?call=a", cut: [{ path: [], length: 1_048_576, link: "?part=[]" }] };
  expect(words(<Data value="ab" place={place} />)).toBe("ab Show all 1,048,576 characters");
});

test("markup in a text is text, and a picture elsewhere is not loaded", () => {
  const content = [
    { type: "text", text: "<img src=x onerror=alert(1)>" },
    { type: "image_url", image_url: { url: "https://example.com/a.png" } },
  ];
  const markup = renderToStaticMarkup(<Content content={content} place={{ from: "", cut: [] }} />);
  expect(markup).toContain("&lt;img src=x onerror=alert(1)&gt;");
  expect(markup).not.toContain("<img");
});
