import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createAgent, openThreads } from "glassloop";
import { describe, expect, it } from "vitest";
import { cases, type ProviderCase } from "./cases.js";
import { look, thread } from "./models.js";
import { type ProviderServer, startProvider } from "./providers/provider-server.js";

const questions = ["How many?", "And in French?"];
const instructions = "Be kind.";

const defaultResults = ["5 for x", "5 for y", "5 for z"];

/** What both questions came to: the answers, and the cost of the last turn. */
interface Held {
  readonly answers: unknown[];
  readonly cached: number | undefined;
}

/** Asks both questions, and opens the thread anew between them. */
async function held({ model }: ProviderCase, server: ProviderServer, streaming: boolean): Promise<Held> {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-providers-"));
  const answers: unknown[] = [];
  let cached: number | undefined;
  try {
    for (const messages of questions) {
      await using threads = await openThreads(`sqlite:${join(folder, "threads.db")}`);
      const agent = createAgent({
        model: await model(server.url, streaming),
        tools: [look],
        instructions,
        modelCalls: { maxRetries: 0 },
        checkpointer: threads.checkpointer,
      });
      const { answer, usage } = await agent.invoke({ messages }, thread);
      answers.push(answer);
      cached = usage.turn.cacheReadTokens;
    }
    return { answers, cached };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Asks both questions of LangGraph's prebuilt agent. */
async function heldByPrebuilt({ model }: ProviderCase, server: ProviderServer, streaming: boolean): Promise<void> {
  const llm = await model(server.url, streaming);
  const agent = createReactAgent({ llm, tools: [look], prompt: instructions, checkpointer: new MemorySaver() });
  for (const question of questions) {
    const input = { messages: [new HumanMessage(question)] };
    // LangGraph lets a model stream only if somebody reads its messages.
    for await (const _ of await agent.stream(input, { ...thread, streamMode: "messages" }));
  }
}

/** The conversation in the last request, without the instructions, and without the ids that Ollama's package draws. */
function lastSaid({ requests }: ProviderServer): unknown[] {
  const { messages, contents, input } = requests.at(-1) ?? {};
  const said: unknown[] = Array.from(Object(messages ?? contents ?? input));
  const others = said.filter((message) => !["system", "developer"].includes(Object(message).role));
  return JSON.parse(JSON.stringify(others).replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "drawn"));
}

describe.each([false, true])("with streaming %s,", (streaming) => {
  const able = cases.filter(({ refused }) => refused === undefined);
  const unable = cases.filter(({ refused }) => refused !== undefined);

  it.each(able)(
    "$name gets back in two steps and the next turn what came from it, as from the prebuilt agent",
    async (one) => {
      await using server = await startProvider(one.provider, one.replies);
      const { answers, cached } = await held(one, server, streaming);
      expect(answers).toEqual(["It is [5].", "Cinq."]);
      expect(server.refusals).toEqual([]);
      expect(server.streamed).toEqual([streaming, streaming, streaming, streaming]);
      expect(server.requests).toHaveLength(4);
      const last = JSON.stringify(server.requests.at(-1));
      const wanted = ["How many?", ...(one.results ?? defaultResults), "It is [5].", ...one.back];
      expect(wanted.filter((text) => !last.includes(text))).toEqual([]);
      expect((one.lost ?? []).filter((text) => last.includes(text))).toEqual([]);
      expect(cached).toBe(one.cached);
      if (one.prebuilt !== undefined) return;
      await using other = await startProvider(one.provider, one.replies);
      await heldByPrebuilt(one, other, streaming);
      expect(lastSaid(server)).toEqual(lastSaid(other));
    },
  );

  it.each(unable)("$name refuses a second step through its package", async (one) => {
    await using server = await startProvider(one.provider, one.replies);
    await expect(held(one, server, streaming)).rejects.toThrow(one.refused);
  });
});
it.each(cases.filter(({ prebuilt }) => prebuilt instanceof RegExp))(
  "$name fails with the prebuilt agent",
  async (one) => {
    await using server = await startProvider(one.provider, one.replies);
    await expect(heldByPrebuilt(one, server, false)).rejects.toThrow(one.prebuilt);
  },
);

it.each(cases)("the failures of $name have their kind", async (one) => {
  const kinds: unknown[] = [];
  for (const status of [401, 429, 500, 404]) {
    await using server = await startProvider(one.provider, [{ status }]);
    const model = await one.model(server.url, false);
    const failed = createAgent({ model, modelCalls: { maxRetries: 0 } }).invoke({ messages: "Hi" });
    kinds.push(await failed.catch(({ kind }) => kind));
  }
  expect(kinds).toEqual(["authentication", "rate-limit", "server", "not-found"]);
});

it("Anthropic gets the marks for its cache that a question has", async () => {
  const [one] = cases;
  if (one === undefined) throw new Error("There are no cases.");
  await using server = await startProvider(one.provider, one.replies.slice(2));
  const content = [{ type: "text" as const, text: "A report.", cache_control: { type: "ephemeral" } }];
  const model = await one.model(server.url, false);
  const agent = createAgent({ model, tools: [look], modelCalls: { maxRetries: 0 } });
  await agent.invoke({ messages: [new HumanMessage({ content })] });
  expect(lastSaid(server)).toEqual([{ role: "user", content }]);
});
