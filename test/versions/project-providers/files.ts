import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, promptsOf, streamTurn } from "glassloop";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { gptOfResponses, load, thread } from "./models.js";
import { anthropic } from "./providers/anthropic.js";
import { compatible, groq, mistral, openai, xai } from "./providers/chat.js";
import { gemini } from "./providers/gemini.js";
import { ollama } from "./providers/ollama.js";
import { type Provider, type ProviderRequest, startProvider } from "./providers/provider-server.js";
import { called, responses, spoken } from "./providers/responses.js";

const data = "QUJD";
const png = `data:image/png;base64,${data}`;
const pdf = `data:application/pdf;base64,${data}`;
const filename = "a.pdf";
const metadata = { filename };
const imageUrl = "https://a.org/b.png";
const fileUrl = "https://a.org/b.pdf";
const id = "file_1";

/** What a question has, by what the file is: in the forms of LangChain 1, of LangChain 0.3, and of the providers. */
const forms = {
  image: [
    { type: "image", mimeType: "image/png", data },
    { type: "image", url: png },
    { type: "image", source_type: "base64", mime_type: "image/png", data },
    { type: "image_url", image_url: { url: png } },
    { type: "image_url", image_url: png },
    { type: "image", source: { type: "base64", media_type: "image/png", data } },
    { type: "input_image", image_url: png },
    { type: "media", mimeType: "image/png", data },
  ],
  imageUrl: [
    { type: "image", mimeType: "image/png", url: imageUrl },
    { type: "image", source_type: "url", mime_type: "image/png", url: imageUrl },
    { type: "image_url", image_url: { url: imageUrl } },
    { type: "image", source: { type: "url", url: imageUrl } },
    { type: "input_image", image_url: imageUrl },
  ],
  imageId: [
    { type: "image", fileId: id },
    { type: "image", source_type: "id", id },
    { type: "image", source: { type: "file", file_id: id } },
    { type: "input_image", file_id: id },
  ],
  pdf: [
    { type: "file", mimeType: "application/pdf", data, metadata },
    { type: "file", source_type: "base64", mime_type: "application/pdf", data, metadata },
    { type: "file", file: { filename, file_data: pdf } },
    { type: "input_file", filename, file_data: pdf },
  ],
  pdfUrl: [
    { type: "file", mimeType: "application/pdf", url: fileUrl },
    { type: "file", source_type: "url", mime_type: "application/pdf", url: fileUrl },
    { type: "media", mimeType: "application/pdf", fileUri: fileUrl },
  ],
  pdfId: [
    { type: "file", fileId: id },
    { type: "file", source_type: "id", id },
    { type: "file", file: { file_id: id } },
    { type: "input_file", file_id: id },
    { type: "document", source: { type: "file", file_id: id } },
  ],
  audio: [
    { type: "audio", mimeType: "audio/mpeg", data },
    { type: "audio", source_type: "base64", mime_type: "audio/mp3", data },
    { type: "input_audio", input_audio: { format: "mp3", data } },
  ],
  video: [{ type: "video", mimeType: "video/mp4", data }],
} as const;
type What = keyof typeof forms;

interface FileCase {
  readonly name: string;
  readonly provider: Provider<never>;
  model(url: string, streaming?: boolean): BaseChatModel | Promise<BaseChatModel>;
  readonly replies: { readonly text: object; readonly call: object };
  /** The files as the provider documents them. Files that are left out are described in words, with an event. */
  readonly sent: Partial<Record<What, object>>;
}

const chat = (callId = "call_1") => ({
  text: { content: "A cat." },
  call: { content: "", calls: [{ id: callId, name: "show", args: "{}" }] },
});
const image_url = { image: { type: "image_url", image_url: { url: png } } };
const openaiImages = { ...image_url, imageUrl: { type: "image_url", image_url: { url: imageUrl } } };
const openaiFiles = {
  ...openaiImages,
  pdf: { type: "file", file: { filename, file_data: pdf } },
  pdfId: { type: "file", file: { file_id: id } },
  audio: { type: "input_audio", input_audio: { format: "mp3", data } },
};

const cases: readonly FileCase[] = [
  {
    name: "OpenAI, chat completions",
    provider: openai,
    model: load("openai:gpt-audio", "/v1"),
    replies: chat(),
    sent: openaiFiles,
  },
  {
    name: "a compatible server",
    provider: compatible,
    model: load("openai:qwen-omni", "/v1"),
    replies: chat(),
    sent: { ...openaiFiles, video: { type: "video_url", video_url: { url: `data:video/mp4;base64,${data}` } } },
  },
  {
    name: "OpenAI, Responses API",
    provider: responses,
    model: gptOfResponses,
    replies: {
      text: { id: "resp_1", output: [spoken("1", "A cat.")] },
      call: { id: "resp_2", output: [{ ...called("2", "show", "{}"), id: undefined }] },
    },
    sent: {
      image: { type: "input_image", image_url: png },
      imageUrl: { type: "input_image", image_url: imageUrl },
      imageId: { type: "input_image", file_id: id, detail: "auto" },
      pdf: { type: "input_file", filename, file_data: pdf },
      pdfUrl: { type: "input_file", file_url: fileUrl },
      pdfId: { type: "input_file", file_id: id },
    },
  },
  {
    name: "Anthropic",
    provider: anthropic,
    model: load("anthropic:claude-sonnet-4-5"),
    replies: {
      text: { content: [{ type: "text", text: "A cat." }] },
      call: { content: [{ type: "tool_use", id: "toolu_1", name: "show", input: {} }] },
    },
    sent: {
      image: { type: "image", source: { type: "base64", media_type: "image/png", data } },
      imageUrl: { type: "image", source: { type: "url", url: imageUrl } },
      imageId: { type: "image", source: { type: "file", file_id: id } },
      pdf: { type: "document", source: { type: "base64", media_type: "application/pdf", data } },
      pdfUrl: { type: "document", source: { type: "url", url: fileUrl } },
      pdfId: { type: "document", source: { type: "file", file_id: id } },
    },
  },
  {
    name: "Gemini",
    provider: gemini,
    model: load("google-genai:gemini-2.5-pro"),
    replies: {
      text: { parts: [{ text: "A cat." }] },
      call: { parts: [{ functionCall: { name: "show", args: {} }, thoughtSignature: "SIG1" }] },
    },
    sent: {
      image: { inlineData: { mimeType: "image/png", data } },
      imageUrl: { fileData: { mimeType: "image/png", fileUri: imageUrl } },
      pdf: { inlineData: { mimeType: "application/pdf", data } },
      pdfUrl: { fileData: { mimeType: "application/pdf", fileUri: fileUrl } },
      audio: { inlineData: { mimeType: expect.stringMatching(/^audio\/(?:mp3|mpeg)$/), data } },
      video: { inlineData: { mimeType: "video/mp4", data } },
    },
  },
  {
    name: "Mistral",
    provider: mistral,
    model: load("mistralai:mistral-small-latest"),
    replies: chat("abcdefgh1"),
    sent: openaiImages,
  },
  {
    name: "Groq",
    provider: groq,
    model: load("groq:meta-llama/llama-4-scout-17b-16e-instruct"),
    replies: chat(),
    sent: openaiImages,
  },
  { name: "xAI", provider: xai, model: load("xai:grok-4-fast", "/v1"), replies: chat(), sent: openaiImages },
  { name: "DeepSeek", provider: compatible, model: load("deepseek:deepseek-chat", "/v1"), replies: chat(), sent: {} },
  {
    name: "Ollama",
    provider: ollama,
    model: load("ollama:qwen3-vl"),
    replies: {
      text: { content: "A cat." },
      call: { content: "", tool_calls: [{ function: { name: "show", arguments: {} } }] },
    },
    sent: { image: { images: [data] } },
  },
];

const partSchema = z.looseObject({ text: z.string().optional(), detail: z.unknown().optional() });
const messageSchema = z.looseObject({
  role: z.string().optional(),
  content: z.union([z.string(), z.array(partSchema)]).optional(),
  parts: z.array(partSchema).optional(),
  images: z.array(z.string()).optional(),
});

/** The files that people have in a request, as the provider gets them. */
function filesIn({ messages, contents, input }: ProviderRequest): object[] {
  const said = z.array(messageSchema).parse(messages ?? contents ?? input);
  return said
    .filter(({ role }) => role === "user")
    .flatMap(({ content, parts = [], images }) => {
      if (images) return [{ images }];
      return [...parts, ...(Array.isArray(content) ? content : [])].filter((part) => {
        const isResult = part.functionResponse !== undefined || part.type === "tool_result";
        return part.text === undefined && !isResult;
      });
    });
}

const show = tool(
  async (_input, { toolCall }: { toolCall: { id: string } }) =>
    new ToolMessage({ tool_call_id: toolCall.id, content: [forms.image[0], forms.pdf[0]] }),
  { name: "show", description: "Shows.", schema: z.object({}) },
);
const question = (...files: readonly object[]) =>
  new HumanMessage({
    content: [{ type: "text", text: "What is it?" }, ...files.map((file) => ({ type: "", ...file }))],
  });

describe.each(cases)("$name", ({ provider, model, replies, sent }) => {
  const given = Object.entries(forms).flatMap(([what, blocks]) => blocks.map((block) => [what, block] as const));

  it.each(given)("gets a %s, or its description, in the next turn, too: %j", async (what, block) => {
    await using server = await startProvider(provider, [replies.text, replies.text]);
    const agent = createAgent({
      model: await model(server.url),
      modelCalls: { maxRetries: 0 },
      checkpointer: new MemorySaver(),
    });
    const named: string[] = [];
    for (const messages of [[question(block)], "And now?"]) {
      for await (const event of streamTurn(agent, { messages }, thread)) {
        if (event.type === "files-named") named.push(event.why);
      }
    }
    const form = Object.entries(sent).find(([name]) => name === what)?.[1];
    const files = server.requests.slice(-2).map(filesIn);
    const wanted = form && expect.objectContaining(form);
    expect(files).toEqual(form ? [[wanted], [wanted]] : [[], []]);
    expect(named).toHaveLength(form ? 0 : 1);
    const last = JSON.stringify(server.requests.at(-1));
    expect(last.includes("What is it?")).toBe(true);
    expect(/\[an? (?:image|file|recording|video)/.test(last)).toBe(form === undefined);
    for await (const { exact } of promptsOf(agent, "t")) expect(exact).toBe(true);
  });

  it.each([true, false])("streams words, and reports tokens, with streaming %s", async (streaming) => {
    await using server = await startProvider(provider, [replies.text]);
    const agent = createAgent({ model: await model(server.url, streaming), modelCalls: { maxRetries: 0 } });
    const words: string[] = [];
    let tokens = 0;
    for await (const event of streamTurn(agent, { messages: "Hi" })) {
      if (event.type === "answer-delta") words.push(event.text);
      if (event.type === "turn-end") tokens = event.usage.turn.inputTokens;
    }
    expect(words.join("")).toBe("A cat.");
    expect(tokens).toBeGreaterThan(0);
  });

  it("takes standard blocks of a message made with contentBlocks", async () => {
    await using server = await startProvider(provider, [replies.text]);
    const contentBlocks = [{ type: "text" as const, text: "What is it?" }, forms.image[0]];
    const agent = createAgent({ model: await model(server.url), modelCalls: { maxRetries: 0 } });
    await agent.invoke({ messages: [new HumanMessage({ contentBlocks })] });
    expect(server.requests.flatMap(filesIn)).toEqual(sent.image ? [expect.objectContaining(sent.image)] : []);
  });

  it("gets the files of a result that it takes", async () => {
    await using server = await startProvider(provider, [replies.call, replies.text]);
    const agent = createAgent({ model: await model(server.url), tools: [show], modelCalls: { maxRetries: 0 } });
    expect((await agent.invoke({ messages: "Show it." })).answer).toBe("A cat.");
    expect(server.refusals).toEqual([]);
    const wanted = [sent.image, sent.pdf].flatMap((form) => (form ? [expect.objectContaining(form)] : []));
    expect(server.requests.slice(1).map(filesIn)).toEqual([wanted]);
  });
});
