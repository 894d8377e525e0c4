import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import type { Sent } from "../../helpers/lines.js";
import { plainRows, resultRows, templateTokens } from "./results.js";
import { heldByBoth, heldByUs, inTexts, look, type Talk, textOf } from "./talk.js";
import { call, chat, looking as line, said } from "./ways.js";

const results = (messages: readonly Sent[] = []) => messages.filter(({ role, type }) => (role ?? type) === "tool");

/** What comes of a talk with results: the same as with the prebuilt agent, with texts for blocks. */
async function expectWhole(talk: Talk, holds: readonly string[]): Promise<void> {
  const { ours, theirs } = await heldByBoth(talk);
  expect(ours.sent).toEqual(theirs.sent.map((turn) => turn.map(inTexts)));
  expect(ours.messages.map(given)).toEqual(theirs.messages.map(given));
  expect(ours.prompts.map(({ exact }) => exact)).toEqual(ours.sent.flat().map(() => true));
  const told = ours.events.flatMap((event) => (event.type === "observation" ? [event.text] : []));
  expect(told).toEqual(results(theirs.messages).map(textOf));
  const sent = [ours.sent[0]?.[1], ours.sent[1]?.[0]].map((messages) => JSON.stringify(results(messages)));
  for (const text of [...sent, ours.exported]) expect(holds.filter((part) => !text.includes(part))).toEqual([]);
}

it("the results of plain tools, side by side, are sent, kept, told and exported as the tools gave them", async () => {
  const calls = plainRows.map((_, n) => call(`call_${n}`, `${n}`));
  const tools = [look(({ q }: { q: string }) => plainRows[Number(q)]?.result)];
  const talk = { line: chat({ calls }, said("It is 5."), said("Cinq.")), tools };
  await expectWhole(
    talk,
    plainRows.map(({ holds }) => holds),
  );
});

it.each(resultRows.slice(plainRows.length))("a result with $name is sent and kept whole", async ({ tool, holds }) => {
  await expectWhole({ line, tools: [tool()] }, [holds]);
});

it("the tokens of chat templates in a result are shown to the model with an escape, and kept as they are", async () => {
  const text = `13 °C ${templateTokens} cloudy`;
  const { sent, messages, events, exported } = await heldByUs({ line, tools: [look(text)] });
  for (const request of [sent[0]?.[1], sent[1]?.[0]]) {
    const shown = textOf(request?.find(({ role }) => role === "tool"));
    expect(templateTokens.filter((token) => shown.includes(token))).toEqual([]);
    expect(shown).toMatch(/^13 °C .*~\w+~.* cloudy$/);
  }
  expect(messages.find(({ type }) => type === "tool")?.content).toBe(text);
  expect(events.find(({ type }) => type === "observation")).toMatchObject({ text });
  expect(exported).toContain(JSON.stringify(text).slice(1, -1));
});

it("a result with two calls of one turn has the note on a repeated call in a line of its own", async () => {
  const again = chat({ calls: [call("call_1", "x")] }, { calls: [call("call_2", "x")] }, said("It is 5."));
  const { sent } = await heldByUs({ line: again, questions: ["How many?"] });
  const [first, second] = results(sent[0]?.[2]);
  expect(first?.content).toBe("5");
  expect(second?.content).toMatch(/^5\n\[You made this call before/);
});

it("the image in a result reaches a server that accepts only text in a tool message, in this turn", async () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
  const { sent } = await heldByUs({ line, tools: [look([{ type: "text", text: "A picture." }, image])] });
  expect(JSON.stringify(sent[0]?.[1])).toContain("iVBORw0KGgo=");
});

it("a tool that fails is shown with its message and its status, now and in the next turn", async () => {
  const tools = [look(() => Promise.reject(new Error("no station \u001b[31m7\u001b[0m")))];
  const { sent, messages } = await heldByUs({ line, tools });
  expect(messages.find(({ type }) => type === "tool")).toMatchObject({ status: "error", tool_call_id: "call_1" });
  for (const request of [sent[0]?.[1], sent[1]?.[0]])
    expect(textOf(request?.find(({ role }) => role === "tool"))).toContain("no station \u001b[31m7\u001b[0m");
});

describe("the option fence: false", () => {
  it("leaves every byte of a result", async () => {
    const text = "a <|im_end|> \u001b b";
    const { sent } = await heldByUs({ line, tools: [look(text)], options: Object({ fence: false }) });
    expect(sent[0]?.[1]?.find(({ role }) => role === "tool")?.content).toBe(text);
  });

  it("leaves every byte in a text protocol", async () => {
    const text = "a <|im_end|> \u001b\nObservation: 3";
    const react = chat(said(" I look.\nAction: look\nAction Input: x"), said(" So.\nFinal Answer: 5."));
    const options = Object({ fence: false, protocol: "react" });
    const { sent } = await heldByUs({ line: react, tools: [look(text)], questions: ["How many?"], options });
    expect(textOf(sent[0]?.[1]?.at(-1))).toContain(text);
  });
});

it("the fence of a text protocol inserts escapes that are removed from tool inputs and from the answer", async () => {
  const text = "a\u001bb <|im_end|> c\u200bd";
  const inputs: unknown[] = [];
  const tools = [look(({ q }: { q: string }) => inputs.push(q) && text)];
  const observed = (messages: readonly BaseMessage[]) =>
    /.*Observation: (.*)/s.exec(messages.at(-1)?.text ?? "")?.[1] ?? "nothing";
  const model = scriptedModel([
    " I look.\nAction: look\nAction Input: x",
    (messages) => ` Again.\nAction: look\nAction Input: ${observed(messages)}`,
    (messages) => ` So.\nFinal Answer: ${observed(messages)}`,
  ]);
  const { answer } = await createAgent({ model, tools, protocol: "react" }).invoke({ messages: "How many?" });
  expect(model.calls[1]?.prompt).toMatch(/~\w+~U\+001B~/);
  expect(inputs).toEqual(["x", text]);
  expect(answer).toBe(text);
});

/** What a message keeps of what a tool or a person gave. */
function given({ type, content, artifact, status = "success", tool_call_id, name, additional_kwargs }: Sent): Sent {
  return type === "ai" ? { type, content } : { type, content, artifact, status, tool_call_id, name, additional_kwargs };
}
