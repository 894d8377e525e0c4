import { type BaseChatModel, SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { describe, expect, it } from "vitest";
import { callLimits } from "../../../src/agent/model-calls.js";
import { readReply } from "../../../src/core/model/ask-model.js";
import { callModel } from "../../../src/core/model/model-call.js";
import { loadModel } from "../../../src/model/models.js";
import { namedModels } from "../../../src/model/named-models.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { startOpenAIServer } from "../../helpers/openai-server.js";

const stop = "\nObservation:";
const before = " I know\nFinal Answer: It is 5.";
const whole = `${before}${stop} 99 °F\nFinal Answer: 99 °F`;

const limits = callLimits({});

/** A call whose reply is cut at stop texts, and where its reader says. */
function callOf(
  model: BaseChatModel,
  stop: readonly string[],
  onText: (text: string) => number | undefined,
  config: RunnableConfig = {},
) {
  const call = { purpose: "reply", model: namedModels([model])[0], asked: model, limits, config } as const;
  return {
    ...call,
    messages: [new HumanMessage("Well?")],
    stop,
    sendStop: false,
    begin: () => ({ listeners: [], onText }),
  };
}

/** Asks for a reply that stops at the stop text, and keeps what it was told while the reply came. */
async function ask(model: BaseChatModel, config?: RunnableConfig) {
  const told: string[] = [];
  const onText = (text: string) => {
    told.push(text);
    return undefined;
  };
  const reply = await callModel(callOf(model, ["\nNever:", stop], onText, config), readReply);
  return { reply, told };
}

/** The text in two pieces, cut at each place of the stop text, before it and after it; and in single characters. */
const inPieces = [
  ...Array.from({ length: stop.length + 1 }, (_, n): [string, string[]] => [
    `after ${n} of its characters`,
    [whole.slice(0, before.length + n), whole.slice(before.length + n)],
  ]),
  ["at each character", [...whole]] satisfies [string, string[]],
];

/** A model that cannot stream. */
class WholeModel extends SimpleChatModel {
  constructor(private readonly text: string) {
    super({});
  }

  override _llmType(): string {
    return "whole";
  }

  override async _call(): Promise<string> {
    return this.text;
  }
}

describe("a reply with a stop text", () => {
  it.each(inPieces)(
    "is cut there when the stream is split %s, and nothing after the stop text is emitted",
    async (_place, chunks) => {
      const { reply, told } = await ask(scriptedModel([{ chunks }]));
      expect(reply.text).toBe(before);
      expect(told.at(-1)).toBe(before);
      for (const text of told) {
        expect(whole.startsWith(text)).toBe(true);
        expect(text).not.toContain(stop);
      }
    },
  );

  it.each([scriptedModel([{ chunks: [before, " 99", " °F"] }]), new WholeModel(`${before} 99 °F`)])(
    "is cut where its reader says that the reply ends",
    async (model) => {
      const onText = (text: string) => (text.length > before.length ? before.length : undefined);
      const reply = await callModel(callOf(model, [], onText), readReply);
      expect(reply.text).toBe(before);
    },
  );

  it("is cut there when it arrives as a whole", async () => {
    const { reply, told } = await ask(new WholeModel(whole));
    expect(reply.text).toBe(before);
    expect(told).toEqual([before]);
  });

  it("is returned at once, without the rest of the server's stream", async () => {
    const reply = { text: whole, stallAfterPieces: `${before}${stop}`.split(/\s+/).length };
    await using server = await startOpenAIServer([reply], { applyStop: false });
    const model = await loadModel("m", { baseUrl: server.url, env: {} });
    expect((await ask(model)).reply.text).toBe(before);
  });

  it("is cut there when its server reports an unreadable tool call", async () => {
    const failure = Object.assign(new Error("tool_use_failed"), { error: { failed_generation: whole } });
    expect((await ask(scriptedModel([failure]))).reply.text).toBe(before);
  });

  it("aborts the model's call there, and not at the end of a reply without a stop text", async () => {
    const model = scriptedModel([whole, before]);
    for (const _ of model.replies) await ask(model);
    expect(model.calls.map(({ options }) => options.signal?.aborted)).toEqual([true, false]);
  });

  it("is cut at the first of several", async () => {
    const text = `${before}${stop} 1\nNever: 2`;
    for (const model of [scriptedModel([text]), new WholeModel(text)])
      expect((await ask(model)).reply.text).toBe(before);
  });
});
