import { once } from "node:events";
import { Chat } from "@ai-sdk/react";
import {
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import type { TurnEvent } from "glassloop";
import { type TurnData, type TurnMetadata, toUIMessageStream } from "glassloop/ui";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { model, script, waits } from "./agent.js";
import { serve } from "./serve.js";

let site: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  site = await serve();
});
beforeEach(() => void script.splice(0));
afterAll(async () => {
  site.close();
  await model.close();
});

type Message = UIMessage<TurnMetadata, TurnData>;

function openChat(): Chat<Message> {
  return new Chat<Message>({
    transport: new DefaultChatTransport({ api: `${site.url}/api/chat` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}

/** The parts of the last message, as far as a page shows them. */
function shown({ messages }: Chat<Message>): unknown[] {
  return (messages.at(-1)?.parts ?? []).map((part) => {
    if (part.type === "text" && part.providerMetadata?.glassloop?.reset) return `taken back: ${part.text}`;
    if (part.type === "text" || part.type === "reasoning") return `${part.type} ${part.state}: ${part.text}`;
    if (part.type === "dynamic-tool") return [part.toolName, part.state, part.output ?? part.errorText];
    return part.type;
  });
}

const sum = { text: "I add.", toolCalls: [{ name: "calculator", args: { expression: "2+2" } }] };
const payment = { text: "", toolCalls: [{ name: "pay", args: { to: "Ann" } }] };

test("a chat shows the words before a call as taken back, steps, calls, results and the usage of the turn", async () => {
  const chat = openChat();
  script.push({ ...sum, reasoning: { reasoning_content: "Two and two." } }, "It is four.", "As I said.");
  await chat.sendMessage({ text: "What is 2+2?" });
  expect(shown(chat)).toEqual([
    "step-start",
    "reasoning done: Two and two.",
    "taken back: I add.",
    "reasoning done: I add.",
    ["calculator", "output-available", "4"],
    "step-start",
    "text done: It is four.",
  ]);
  expect(chat.lastMessage?.metadata).toMatchObject({ stopReason: "answered", usage: { turn: { modelCalls: 2 } } });
  await chat.sendMessage({ text: "Sure?" });
  expect(shown(chat)).toEqual(["step-start", "text done: As I said."]);
  expect(model.requests.at(-1)?.body.messages).toHaveLength(6);
});

test("a picture of the page reaches the model", async () => {
  const chat = openChat();
  script.push("A cat.");
  const url = "data:image/png;base64,iVBORw0KGgo=";
  await chat.sendMessage({ text: "What is it?", files: [{ type: "file", mediaType: "image/png", url }] });
  expect(shown(chat)).toEqual(["step-start", "text done: A cat."]);
  expect(JSON.stringify(model.requests.at(-1)?.body.messages.at(-1))).toContain(url);
});

test("a question is answered again, in place of the old answer", async () => {
  const chat = openChat();
  script.push("One.", "Two.", "Three.");
  await chat.sendMessage({ text: "Count." });
  await chat.regenerate();
  expect([chat.messages.length, shown(chat)]).toEqual([2, ["step-start", "text done: Two."]]);
  await chat.sendMessage({ text: "On." });
  const said = model.requests.at(-1)?.body.messages.map(({ content }) => content);
  expect(said?.slice(-3)).toEqual(["Count.", "Two.", "On."]);
});

test.each([
  { approved: true, state: ["pay", "output-available", "Paid Ann."], seen: "Paid Ann." },
  { approved: false, state: ["pay", "output-denied", undefined], seen: "Too much" },
])("a call waits for a person, who says $approved, and the same message goes on", async ({ approved, state, seen }) => {
  const chat = openChat();
  script.push(payment, "Done.");
  await chat.sendMessage({ text: "Pay Ann." });
  expect(shown(chat)).toEqual(["step-start", ["pay", "approval-requested", undefined]]);
  expect(chat.lastMessage?.metadata?.stopReason).toBe("waiting");
  const asked = chat.lastMessage?.parts.find((part) => part.type === "dynamic-tool")?.approval;
  expect(asked?.descriptor).toMatchObject({ description: "Pays.", allowed: expect.arrayContaining(["approve"]) });
  await chat.addToolApprovalResponse({ id: asked?.id ?? "", approved, reason: "Too much" });
  await expect.poll(() => chat.lastMessage?.metadata?.stopReason).toBe("answered");
  expect(shown(chat)).toEqual(["step-start", state, "step-start", "text done: Done."]);
  expect(chat.messages).toHaveLength(2);
  expect(String(model.requests.at(-1)?.body.messages.at(-1)?.content)).toContain(seen);
  await expect.poll(() => chat.status).toBe("ready");
  expect(script).toEqual([]);
});

test("a decision about a call that the page changed is not accepted: the person is asked again", async () => {
  const chat = openChat();
  script.push(payment);
  await chat.sendMessage({ text: "Pay Ann." });
  const asked = chat.lastMessage?.parts.find((part) => part.type === "dynamic-tool")?.approval;
  if (asked) asked.signature = "0000000000000000";
  await chat.addToolApprovalResponse({ id: asked?.id ?? "", approved: true });
  await expect.poll(() => chat.status).toBe("ready");
  expect(shown(chat)).toEqual(["step-start", ["pay", "approval-requested", undefined]]);
});

test("all other events of a turn become parts that the AI SDK accepts", async () => {
  const origin = { thread: "t", turn: "1", step: 1, time: "2026-11-22T08:00:00.000Z" };
  const request = { id: "b-1", tool: "pay", input: {}, description: "", why: "", allowed: [], digest: "12" };
  async function* events(): AsyncGenerator<TurnEvent> {
    yield { ...origin, path: [], type: "action", id: "a-1", tool: "ask", toolInput: "Ann" };
    yield { ...origin, path: ["ask"], type: "approval", interrupt: "i", requests: [request], complaints: [] };
    yield { ...origin, path: ["ask"], type: "observation", id: "b-1", text: "No money.", status: "error" };
    yield { ...origin, path: [], type: "interrupt", interrupt: "i", value: "Sure?" };
    const citation = { number: 1, start: 0, end: 3, source: 0, quotes: [] };
    yield { ...origin, path: [], type: "citations", citations: [citation] };
    const sources = ["https://x.test/a", "a.md"].map((address, n) => ({ number: n + 1, title: "A", address }));
    yield { ...origin, path: [], type: "answer", text: "", output: { sum: 4 }, sources, stopReason: "answered" };
  }
  const respond = async () => createUIMessageStreamResponse({ stream: toUIMessageStream(events()) });
  const chat = new Chat<Message>({ transport: new DefaultChatTransport({ fetch: respond }) });
  await chat.sendMessage({ text: "Hi" });
  expect([chat.status, chat.error]).toEqual(["ready", undefined]);
  expect(chat.lastMessage?.parts).toMatchObject([
    { toolName: "ask", input: "Ann", state: "input-available" },
    { toolName: "pay", errorText: "No money.", callProviderMetadata: { glassloop: { path: ["ask"] } } },
    { type: "data-interrupt", data: "Sure?" },
    { type: "data-citations", data: [{ number: 1 }] },
    { type: "data-output", data: { sum: 4 } },
    { type: "source-url", url: "https://x.test/a" },
    { type: "source-document", filename: "a.md" },
  ]);
});

test("an error has the words of Glassloop, and no key; the chat goes on", async () => {
  const chat = openChat();
  script.push({ status: 401, message: "Incorrect API key provided: sk-12345678." }, "Better.");
  await chat.sendMessage({ text: "Hello?" });
  expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringContaining("401")]);
  await chat.sendMessage({ text: "And now?" });
  expect([chat.status, shown(chat)]).toEqual(["ready", ["step-start", "text done: Better."]]);
});

test("a page that stops the chat stops the tool at work", async () => {
  const chat = openChat();
  script.push({ text: "", toolCalls: [{ name: "wait", args: {} }] }, "Here.");
  const [begun, stopped] = [once(waits, "begun"), once(waits, "stopped")];
  const sent = chat.sendMessage({ text: "Wait." });
  const isAtWork = () => expect(shown(chat)).toEqual(["step-start", ["wait", "input-available", undefined]]);
  await Promise.all([begun, vi.waitFor(isAtWork, { timeout: 100_000 })]);
  await chat.stop();
  await Promise.all([stopped, sent]);
  await chat.sendMessage({ text: "There?" });
  expect(shown(chat)).toEqual(["step-start", "text done: Here."]);
});
