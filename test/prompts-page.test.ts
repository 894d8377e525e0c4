import { readFileSync } from "node:fs";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, buffer, createAgent } from "../src/index.js";
import { type ScriptedReply, scriptedModel } from "../src/testing/index.js";
import { dialects, inReact, inToolCalls } from "./matrix/dialects.js";
import { matrix } from "./matrix/matrix.js";

const page = readFileSync("docs/prompts.md", "utf8");
const thread = { configurable: { thread_id: "t" } };
const weather = tool(async () => "7 °C, rain, humidity 91 %", {
  name: "weather",
  description: "Tells the weather of a place.",
  schema: z.object({ place: z.string() }),
});

/** Writes messages as the page does, with the calls of a message in brackets. */
function written(messages: readonly BaseMessage[]): string {
  const lines = messages.map((message) => {
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    const made = calls.map(({ name, args }) => ` [calls ${name} ${JSON.stringify(args)}]`);
    return `${message.getType()}: ${`${message.text}${made.join("")}`.trimStart()}`;
  });
  return lines.join("\n");
}

/** Has the conversation of the page. Returns the last prompt of both turns. */
async function promptsIn(dialect: (typeof dialects)[number], options: Partial<AgentOptions> = {}) {
  const { protocol, act, answer } = dialect;
  const call = act(
    "weather",
    protocol === "self-ask" ? "Bergen" : { place: "Bergen" },
    protocol === "tool-calling" ? "" : undefined,
  );
  const isRephrased = options.rephrase ?? protocol !== "tool-calling";
  const rephrased = isRephrased ? ["How humid is it in Bergen?"] : [];
  const replies: ScriptedReply[] = [
    call,
    answer("It is 7 °C in Bergen."),
    ...rephrased,
    answer("The humidity is 91 %."),
  ];
  const model = scriptedModel(replies);
  const agent = createAgent({
    model,
    tools: [weather],
    protocol,
    instructions: "You are a weather service.",
    checkpointer: new MemorySaver(),
    ...options,
  });
  await agent.invoke({ messages: "How warm is it in Bergen?" }, thread);
  await agent.invoke({ messages: "And how humid?" }, thread);
  model.assertComplete();
  return [model.calls[1], model.calls.at(-1)].map((made) => written(made?.messages ?? []));
}

/** Returns the blocks of the page below a heading. */
function blocksBelow(heading: string): string[] {
  const section = page.split(/^#+ /m).find((text) => text.slice(0, text.indexOf("\n")).includes(heading)) ?? "";
  return blocksOf(section);
}

function blocksOf(section: string): string[] {
  return [...section.matchAll(/^(`{3,})text\n(.*?)\n\1$/gms)].map(([, , block = ""]) => block);
}

/** Expects a block to be a prompt. A line of `…` at its beginning or its end stands for what is left out there. */
function expectShown(block = "", prompt = ""): void {
  const shown = block.replace(/^…\n/, "").replace(/\n…$/, "");
  const place = block.startsWith("…\n") ? prompt.lastIndexOf(shown) : 0;
  expect(prompt.slice(place, block.endsWith("\n…") ? place + shown.length : undefined)).toBe(shown);
}

it.each(matrix(dialects, inReact, inToolCalls))(
  "the page of prompts shows those of $protocol as they are",
  async (dialect) => {
    const prompts = await promptsIn(dialect);
    const shown = blocksBelow(`\`${dialect.protocol}\``);
    expect(shown).toHaveLength(2);
    for (const [n, block] of shown.entries()) expectShown(block, prompts[n]);
  },
);

it.each<[string, number, Partial<AgentOptions>]>([
  ["react", 0, { memory: buffer({ steps: 1 }) }],
  ["tool-calling", 1, { rephrase: true }],
])("the page of prompts shows what an option changes in %s", async (protocol, n, options) => {
  const dialect = dialects.find((known) => known.protocol === protocol);
  if (dialect === undefined) throw new Error(`There is no protocol ${protocol}.`);
  expectShown(blocksBelow("What changes it")[n], (await promptsIn(dialect, options))[1]);
});

it("the page of prompts has two prompts of each protocol, and one of each option that changes them", () => {
  const blocks = blocksOf(page);
  expect(blocks).toHaveLength(2 * dialects.length + 2);
  for (const block of blocks) expect(block).toMatch(/warm|humid/);
});
