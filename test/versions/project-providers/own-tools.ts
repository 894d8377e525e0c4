import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type ServerTool, tool } from "@langchain/core/tools";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, streamTurn, type TurnEvent } from "glassloop";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { claude, gptOfResponses, look, none, set, thread } from "./models.js";
import { anthropic } from "./providers/anthropic.js";
import { gemini } from "./providers/gemini.js";
import { type Provider, startProvider } from "./providers/provider-server.js";
import { called, responses, spoken } from "./providers/responses.js";

/** A conversation of two turns with a model whose provider has tools of its own. */
interface OwnToolsCase {
  readonly name: string;
  readonly provider: Provider<never>;
  readonly tools: readonly ServerTool[];
  /** True if the provider takes them beside other tools. The model then calls one of these first. */
  readonly besideOthers: boolean;
  readonly replies: readonly object[];
  model(url: string, streaming: boolean): BaseChatModel;
  /** What the provider's tools did, as events tell it: the tool with its input, or the text of the result. */
  readonly did: readonly unknown[];
  /** What of the replies stays in the messages, as JSON. */
  readonly kept: readonly string[];
  /** What of them the package sends back in the next turn. */
  readonly back: readonly string[];
}

const search = (id: string, query: string) => ({ type: "server_tool_use", id, name: "web_search", input: { query } });
const page = { type: "web_search_result", title: "A page", url: "https://example.org/", encrypted_content: "FOUND" };
const found = (id: string, content: object = [page]) => ({ type: "web_search_tool_result", tool_use_id: id, content });
const cited = { type: "web_search_result_location", url: page.url, title: page.title, cited_text: "five" };
const text = (words: string) => ({ type: "text", text: words });
const claudeSearch = { type: "web_search_20250305", name: "web_search" };

const gpt = (url: string, streaming: boolean) =>
  new ChatOpenAI({ ...none, model: "gpt-5", disableStreaming: !streaming, configuration: { baseURL: `${url}/v1` } });
const annotation = { type: "url_citation", url: page.url, title: page.title, start_index: 0, end_index: 6 };
const answered = { ...spoken("1", "It is 5."), content: [{ ...output("It is 5."), annotations: [annotation] }] };

function output(words: string) {
  return { type: "output_text", text: words, annotations: [], logprobs: [] };
}

const google = (url: string, streaming: boolean) =>
  set(new ChatGoogleGenerativeAI({ ...none, model: "gemini-2.5-flash", baseUrl: url }), streaming);

const cases: readonly OwnToolsCase[] = [
  {
    name: "a search of Anthropic in the reply with a call and in the answer",
    provider: anthropic,
    tools: [claudeSearch],
    besideOthers: true,
    model: claude,
    replies: [
      {
        content: [
          text("I search."),
          search("srvtoolu_1", "x"),
          found("srvtoolu_1"),
          { type: "tool_use", id: "toolu_1", name: "look", input: { q: "x" } },
        ],
      },
      { content: [search("srvtoolu_2", "y"), found("srvtoolu_2"), { ...text("It is 5."), citations: [cited] }] },
      { content: [text("Cinq.")] },
    ],
    did: [
      ["web_search", { query: "x" }],
      "A page https://example.org/",
      ["web_search", { query: "y" }],
      "A page https://example.org/",
    ],
    kept: ["srvtoolu_1", "srvtoolu_2", '"encrypted_content":"FOUND"', '"cited_text":"five"'],
    back: ["srvtoolu_1", "srvtoolu_2", "FOUND", '"cited_text":"five"'],
  },
  {
    name: "a search of Anthropic in a reply that is paused, and one that fails",
    provider: anthropic,
    tools: [claudeSearch],
    besideOthers: false,
    model: claude,
    replies: [
      { content: [text("I search."), search("srvtoolu_1", "x")], stop: "pause_turn" },
      {
        content: [
          found("srvtoolu_1"),
          search("srvtoolu_2", "y"),
          found("srvtoolu_2", { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" }),
          text("It is 5."),
        ],
      },
      { content: [text("Cinq.")] },
    ],
    did: [
      ["web_search", { query: "x" }],
      "A page https://example.org/",
      ["web_search", { query: "y" }],
      "error: max_uses_exceeded",
    ],
    kept: ["srvtoolu_1", "srvtoolu_2", '"error_code":"max_uses_exceeded"'],
    back: ["srvtoolu_1", "srvtoolu_2", "FOUND", "max_uses_exceeded"],
  },
  {
    name: "tools of OpenAI's Responses API",
    provider: responses,
    tools: [{ type: "web_search" }, { type: "code_interpreter", container: { type: "auto" } }, { type: "file_search" }],
    besideOthers: true,
    model: gpt,
    replies: [
      {
        id: "resp_1",
        output: [
          { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
          { ...called("1", "look", '{"q":"x"}'), id: undefined },
        ],
      },
      {
        id: "resp_2",
        output: [
          {
            ...{ type: "code_interpreter_call", id: "ci_1", status: "completed", code: "2+3", container_id: "c1" },
            outputs: [{ type: "logs", logs: "5" }],
          },
          {
            ...{ type: "file_search_call", id: "fs_1", status: "completed", queries: ["y"] },
            results: [{ file_id: "f1", filename: "a.md", score: 0.5, text: "five" }],
          },
          { type: "web_search_call", id: "ws_2", status: "failed", action: { type: "search", query: "z" } },
          answered,
        ],
      },
      { id: "resp_3", output: [spoken("2", "Cinq.")] },
    ],
    did: [
      ["web_search", { type: "search", query: "x" }],
      "completed",
      ["code_interpreter", { code: "2+3", container_id: "c1" }],
      "5",
      ["file_search", { queries: ["y"] }],
      "five",
      ["web_search", { type: "search", query: "z" }],
      "error: failed",
    ],
    kept: ["ws_1", "ci_1", "fs_1", '"url":"https://example.org/"'],
    back: ["ws_1", "ci_1", "fs_1", '"type":"url_citation"'],
  },
  {
    name: "Gemini's search",
    provider: gemini,
    tools: [{ googleSearch: {} }],
    besideOthers: false,
    model: google,
    replies: [
      {
        parts: [{ text: "It is 5." }],
        grounding: {
          webSearchQueries: ["x"],
          groundingChunks: [{ web: { uri: "https://example.org/", title: "A page" } }],
          groundingSupports: [{ segment: { endIndex: 8 }, groundingChunkIndices: [0] }],
        },
      },
      { parts: [{ text: "Cinq." }] },
    ],
    did: [["googleSearch", { queries: ["x"] }], "A page https://example.org/"],
    kept: ["groundingSupports"],
    back: [],
  },
  {
    name: "Gemini's code",
    provider: gemini,
    tools: [{ codeExecution: {} }],
    besideOthers: false,
    model: google,
    replies: [
      {
        parts: [
          { executableCode: { language: "PYTHON", code: "2+3" } },
          { codeExecutionResult: { outcome: "OUTCOME_OK", output: "5" } },
          { executableCode: { language: "PYTHON", code: "x" } },
          { codeExecutionResult: { outcome: "OUTCOME_FAILED", output: "no x" } },
          { text: "It is 5." },
        ],
      },
      { parts: [{ text: "Cinq." }] },
    ],
    did: [
      ["codeExecution", { language: "PYTHON", code: "2+3" }],
      "5",
      ["codeExecution", { language: "PYTHON", code: "x" }],
      "error: no x",
    ],
    kept: ["executableCode", "codeExecutionResult"],
    back: ["executableCode", "codeExecutionResult"],
  },
];

/** What tools of the provider did, as a row of a case says it. */
function didIn(steps: readonly unknown[]): unknown[] {
  return steps.flatMap((step) => {
    const { type, by, tool, toolInput, text, status } = Object(step);
    if (by !== "provider") return [];
    if (type === "action") return [[tool, toolInput]];
    return [status === "error" ? `error: ${text}` : text];
  });
}

const idsIn = (steps: readonly unknown[], type: string) =>
  steps.filter((step) => Object(step).type === type && Object(step).by === "provider").map((step) => Object(step).id);

describe.each([false, true])("with streaming %s,", (streaming) => {
  it.each(cases)("$name: in events and steps, counted, kept and sent back", async (one) => {
    await using server = await startProvider(one.provider, one.replies);
    const agent = createAgent({
      model: one.model(server.url, streaming),
      tools: [...(one.besideOthers ? [look] : []), ...one.tools],
      modelCalls: { maxRetries: 0 },
      checkpointer: new MemorySaver(),
    });
    const events: TurnEvent[] = [];
    for await (const event of streamTurn(agent, { messages: "How many?" }, thread)) events.push(event);
    const { values } = await agent.getState(thread);

    expect(didIn(events)).toEqual(one.did);
    expect(new Set(idsIn(events, "observation"))).toEqual(new Set(idsIn(events, "action")));
    expect(new Set(idsIn(events, "action")).size).toBe(idsIn(events, "action").length);
    const answerAt = events.findLastIndex(({ type }) => type === "answer-delta");
    expect(events.findLastIndex((event) => event.type === "observation")).toBeLessThan(answerAt);
    const replies = [...values.intermediateSteps.map(({ reply }) => reply), values.reply];
    expect(didIn(replies.flatMap((reply) => reply?.byProvider ?? []))).toEqual(one.did);

    const actions = events.filter(({ type }) => type === "action").length;
    expect(values.usage.turn.toolCalls).toBe(actions);
    expect(values).toMatchObject({ stopReason: "answered" });
    expect(values.answer).toMatch(/It is 5\.$/);

    const messages = JSON.stringify(values.messages);
    expect(one.kept.filter((words) => !messages.includes(words))).toEqual([]);
    if (one.provider !== gemini) expect(server.requests[0]?.stream).toBe(streaming);
    expect(server.requests[0]?.tools).toEqual(expect.arrayContaining([...one.tools]));
    expect(JSON.stringify(server.requests[0]?.tools).includes("look")).toBe(one.besideOthers);

    const { answer } = await agent.invoke({ messages: "And in French?" }, thread);
    expect(answer).toBe("Cinq.");
    expect(server.refusals).toEqual([]);
    const last = JSON.stringify(server.requests.at(-1));
    expect(one.back.filter((words) => !last.includes(words))).toEqual([]);
  });

  it.each([
    ["a fetched page", "web_fetch", "web_fetch_20250910", true],
    ["code", "bash_code_execution", "code_execution_20250825", streaming],
  ])("Anthropic's package loses the result of %s, or not", async (_name, name, type, isLost) => {
    const calling = { type: "server_tool_use", id: "srvtoolu_1", name, input: {} };
    const returned = { type: `${name}_tool_result`, tool_use_id: "srvtoolu_1", content: { type: `${name}_result` } };
    const call = { type: "tool_use", id: "toolu_1", name: "look", input: { q: "x" } };
    const replies = [{ content: [calling, returned, call] }, { content: [text("It is 5.")] }];
    await using server = await startProvider(anthropic, replies);
    const tools = [look, { type, name: name.replace("bash_", "") }];
    const agent = createAgent({ model: claude(server.url, streaming), tools, modelCalls: { maxRetries: 0 } });
    const asked = agent.invoke({ messages: "How many?" });
    if (isLost) await expect(asked).rejects.toThrow(/without a corresponding result/);
    else expect(await asked).toMatchObject({ answer: "It is 5." });
  });

  it("Gemini refuses its search beside other tools in its own words, without a change of the protocol", async () => {
    await using server = await startProvider(gemini, []);
    const tools = [look, { googleSearch: {} }];
    const agent = createAgent({ model: google(server.url, streaming), tools, modelCalls: { maxRetries: 0 } });
    await expect(agent.invoke({ messages: "How many?" })).rejects.toThrow(/include_server_side_tool_invocations/);
    expect(server.requests).toHaveLength(1);
  });
});

it.each([
  {
    name: "Anthropic",
    provider: anthropic as Provider<never>,
    model: (url: string) => claude(url, false),
    reply: { content: [text("It is 5.")] },
    extras: { cache_control: { type: "ephemeral" } },
  },
  {
    name: "OpenAI",
    provider: responses as Provider<never>,
    model: (url: string) => gptOfResponses(url),
    reply: { id: "resp_1", output: [spoken("1", "It is 5.")] },
    extras: { defer_loading: true },
  },
])("$name gets the extras of a tool, even if its description is fenced", async ({ provider, model, reply, extras }) => {
  for (const metadata of [{}, { untrusted: true }]) {
    const fields = { name: "look", description: "Looks. <|im_start|>", schema: z.object({ q: z.string() }) };
    const marked = Object.assign(
      tool(async () => "5", fields),
      { extras, metadata },
    );
    await using server = await startProvider(provider, [reply]);
    const agent = createAgent({ model: model(server.url), tools: [marked], modelCalls: { maxRetries: 0 } });
    await agent.invoke({ messages: "Go." });
    expect(server.requests[0]?.tools).toMatchObject([{ ...extras, name: "look" }]);
    const isAsGiven = JSON.stringify(server.requests[0]?.tools).includes('"Looks. <|im_start|>"');
    expect(isAsGiven).toBe(metadata.untrusted === undefined);
  }
});
