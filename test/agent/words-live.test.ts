import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { z } from "zod";
import { type AgentOptions, createAgent, loadModel, streamTurn, type TurnEvent } from "../../src/index.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";
import { allOf, piecesOf } from "../helpers/turn-events.js";

const look = tool(() => "seen", { name: "look", description: "Looks.", schema: z.object({}) });
const thread = { configurable: { thread_id: "t" } };
const call = { name: "look", args: {} };

/** Returns what a reader of a turn is told: the pieces of answers, and what may take them back. */
function told(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "answer-delta") return event.text;
    const isTold = /^(?:answer-reset|text-delta|thought|action|correction|retry|.*-fallback)$/.test(event.type);
    return isTold ? event.type.toUpperCase() : [];
  });
}

/** A turn with native calls: what its servers reply, and what of it is told. */
interface Case {
  readonly about: string;
  readonly replies: readonly ServerReply[];
  readonly expected: readonly unknown[];
  readonly options?: Partial<AgentOptions>;
}

// A piece ends in a sign with which no key begins: the beginning of a known key is held back, and other tests know keys.
const cases: readonly Case[] = [
  {
    about: "an answer without tools, without the white space around it",
    replies: [" \nIt, is,\n so. \n"],
    expected: ["It,", " is,", "\n so."],
    options: { tools: [] },
  },
  {
    about: "words before a call",
    replies: [{ text: "I, look.", toolCalls: [call] }, "Seen, it."],
    expected: ["I,", " look.", "ANSWER-RESET", "THOUGHT", "ACTION", "Seen,", " it."],
  },
  {
    about: "a reply that breaks off before another model is asked",
    replies: [{ text: "It, is, wrong", cutAfterPieces: 2 }, "It, is."],
    expected: ["It,", " is,", "ANSWER-RESET", "MODEL-FALLBACK", "It,", " is."],
  },
  {
    about: "a reply that breaks off before another try",
    replies: [{ text: "It, is, wrong", cutAfterPieces: 2 }, "It, is."],
    expected: ["It,", " is,", "ANSWER-RESET", "RETRY", "It,", " is."],
    options: { modelCalls: { maxRetries: 1 } },
  },
  {
    about: "a call that cannot be read",
    replies: [{ text: "I, look.", toolCalls: [{ name: "look", args: "there" }] }, "It, is."],
    expected: ["I,", " look.", "ANSWER-RESET", "THOUGHT", "CORRECTION", "It,", " is."],
  },
  {
    about: "a call beyond a limit",
    replies: [{ text: "I, look.", toolCalls: [call, call] }, "It, is."],
    expected: ["I,", " look.", "ANSWER-RESET", "THOUGHT", "CORRECTION", "It,", " is."],
    options: { limits: { maxToolCalls: 1 } },
  },
  {
    about: "a call beyond a limit, without a last reply",
    replies: [{ text: "I, look.", toolCalls: [call, call] }],
    expected: ["I,", " look.", "ANSWER-RESET", expect.stringMatching(/^I stopped without an answer: .*1 call of look/)],
    options: { limits: { maxToolCalls: 1, earlyStopping: "force" } },
  },
];

it.each(cases)(
  "words of a reply with native calls are streamed as they come, and taken back: $about",
  async ({ replies, expected, options }) => {
    await using server = await startOpenAIServer(replies);
    const agent = createAgent({
      model: [await loadModel("m", { baseUrl: server.url }), await loadModel("n", { baseUrl: server.url })],
      tools: [look],
      modelCalls: { maxRetries: 0 },
      checkpointer: new MemorySaver(),
      ...options,
    });
    const events = await allOf(streamTurn(agent, { messages: "Is it?" }, thread));
    expect(told(events)).toEqual(expected);
    const { answer, messages } = (await agent.getState(thread)).values;
    expect([piecesOf(events), messages.at(-1)?.text]).toEqual([answer, answer]);
  },
);
