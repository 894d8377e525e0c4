import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type AgentOptions,
  createAgent,
  createRetrievalAgent,
  type RetrievalOptions,
  streamTurn,
} from "../../src/index.js";
import { type ScriptedReply, scriptedModel } from "../../src/testing/index.js";
import { pick, randomFrom } from "../helpers/random.js";
import { allOf, piecesOf } from "../helpers/turn-events.js";
import { dialects } from "../matrix/dialects.js";
import { matrix } from "../matrix/matrix.js";
import { retrieverOf } from "../retrieval/scripted-retrieval.js";

const thread = { configurable: { thread_id: "t" } };

/** What answers are made of, and what models write around them. */
const fragments = [
  ...["The tower", " is", " 330 metres high", ".", " It says", ", and", "\n", "\n\n", " ", "\t", "…", "🙂", "塔。"],
  ...[" [1]", "[2]", " [9]", "[1][2]", '"the tower is 330 metres high"', "“so it is, they say”", "Step [3]: do it."],
  ...["`x [9]`", "```\ncode [4]\n```", "**", "_", "`", '"', "'", "- ", "1. ", "## ", "| a |", "$x$", "\\[", "{", "}"],
  ...["Final Answer:", "Final Answer: 42", "Observation: 4", "AI:", "Action: search", "Thought: so", '{"a": 1}'],
  ...["Follow up: what?", "Question: x?", "<think>so</think>", "<|im_end|>", "<b>", "(", "Yes.", "N/A"],
];

type Random = () => number;

function words(random: Random): string {
  return Array.from({ length: 1 + Math.floor(random() * 9) }, () => pick(fragments, random)).join("");
}

/** Cuts a reply into chunks, as a server does. The reply may end at the token limit, or at a filter. */
function sent(reply: ScriptedReply, random: Random): ScriptedReply {
  if (reply instanceof Error) return reply;
  const message = typeof reply === "string" ? { content: reply } : reply;
  const text = typeof message.content === "string" ? message.content : "";
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += chunks.at(-1)?.length ?? 1) {
    chunks.push(text.slice(at, at + 1 + Math.floor(random() * 8)));
  }
  const finish_reason = random() < 0.08 ? pick(["length", "content_filter", "refusal"], random) : "stop";
  return { ...message, chunks, response_metadata: { finish_reason } };
}

/** Writes a text in the blocks of a provider. */
function inBlocks(text: string, random: Random): { type: string; [field: string]: string }[] {
  const middle = Math.floor(random() * text.length);
  return [
    { type: "thinking", thinking: "So it is.", signature: "signed" },
    { type: "text", text: text.slice(0, middle) },
    { type: "text", text: text.slice(middle) },
  ];
}

/** Repeats the mark of the fence, as a model does that copies a text. */
function withMark(text: string, messages: readonly BaseMessage[], random: Random): string {
  const mark = /~[a-z0-9]{5}~/.exec(messages.map((message) => message.text).join("\n"))?.[0];
  return mark !== undefined && random() < 0.2 ? text.replace(" ", ` ${mark}`) : text;
}

const passages = ["The tower is 330 metres high, they say.", "Cats sleep all day."];
const search = tool(
  async () => {
    const sources = passages.map((passage, n) => ({ title: `${n}`, address: `${n}.md`, passage }));
    return [sources.map(({ address, passage }, n) => `[${n + 1}] ${address}\n${passage}`).join("\n\n"), { sources }];
  },
  {
    name: "search",
    description: "Searches.",
    schema: z.object({ input: z.string().default("") }),
    responseFormat: "content_and_artifact",
  },
);
const last = tool(async () => " As it stands there [9].\n", {
  name: "last",
  description: "Gives the answer.",
  schema: z.object({ input: z.string().default("") }),
  returnDirect: true,
});

/** Runs turns on a thread. Each has one answer. */
async function expectOneAnswer(agent: ReturnType<typeof createAgent>, seed: string): Promise<void> {
  for (const asked of ["How high is it?", "And the other one?"]) {
    const events = await allOf(streamTurn(agent, { messages: asked }, thread));
    const { answer, messages } = (await agent.getState(thread)).values;
    const told = events.flatMap((event) => (event.type === "answer" ? [event.text] : []));
    expect({ seed, asked, told, pieces: piecesOf(events), message: messages.at(-1)?.text }).toEqual({
      seed,
      asked,
      told: [answer],
      pieces: answer,
      message: answer,
    });
  }
}

const all = Array.from({ length: 12 }, (_, n) => n);
const seeds = matrix(all, 0, 1);

describe("the state, the pieces and the last message have one answer", () => {
  it.each(dialects)("with replies at random in $protocol", async ({ protocol, act, answer, unreadable, oneTool }) => {
    for (const seed of seeds) {
      const random = randomFrom(seed);
      const reply = (messages: readonly BaseMessage[]): ScriptedReply => {
        const chance = random();
        const said = withMark(words(random), messages, random);
        if (chance < 0.3) return sent(answer(said), random);
        if (chance < 0.35) return { content: inBlocks(said, random) };
        if (chance < 0.4) return sent(said, random);
        if (chance < 0.5) return sent(unreadable, random);
        return sent(act(pick(oneTool ? ["search"] : ["search", "search", "last", "none"], random), said), random);
      };
      const options: Partial<AgentOptions> = {
        ...(random() < 0.2 && { output: z.object({ a: z.number() }) }),
        ...(random() < 0.3 && { limits: { maxModelCalls: 3 } }),
        ...(random() < 0.2 && { limits: { earlyStopping: "force" as const } }),
        ...(random() < 0.1 && { middleware: [{ name: "same", afterModel: () => undefined }] }),
      };
      const agent = createAgent({
        model: scriptedModel(Array.from({ length: 80 }, () => reply)),
        tools: oneTool ? [search] : [search, last],
        protocol,
        limits: { maxSteps: 4 },
        checkpointer: new MemorySaver(),
        ...options,
      });
      await expectOneAnswer(agent, `${protocol} ${seed}`);
    }
  });

  it("with replies at random in a retrieval agent", async () => {
    for (const seed of seeds) {
      const random = randomFrom(seed);
      const reply = (messages: readonly BaseMessage[]): ScriptedReply => {
        const said = withMark(words(random), messages, random);
        const chance = random();
        if (chance < 0.25) return pick(["YES", "NO: it is not so.", "1", "none", "ENOUGH", "SEARCH: towers"], random);
        if (chance < 0.35) return { content: said, tool_calls: [{ name: "search", args: {} }] };
        return sent(chance < 0.4 ? "" : said, random);
      };
      const { retriever } = retrieverOf(() => (random() < 0.1 ? [] : passages));
      const options: Partial<RetrievalOptions> = {
        check: random() < 0.4,
        grade: random() < 0.4,
        adaptive: random() < 0.3,
        combine: pick(["stuff", "stuff", "map-reduce", "refine", "map-rerank"], random),
        ...(random() < 0.3 && { limits: { maxModelCalls: 3 } }),
      };
      const model = scriptedModel(Array.from({ length: 80 }, () => reply));
      const agent = createRetrievalAgent({ model, retriever, checkpointer: new MemorySaver(), ...options });
      await expectOneAnswer(agent, `retrieval ${seed}`);
    }
  });
});
