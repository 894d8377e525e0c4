import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ChatOpenAI, ChatOpenAICompletions } from "@langchain/openai";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InvalidOptionError, ModelError, SetupError } from "../../src/base/errors.js";
import type { LoadModelOptions } from "../../src/model/model-class.js";
import { toModelError } from "../../src/model/model-errors.js";
import { loadModel, modelAbilities, providerOfModel } from "../../src/model/models.js";
import { openaiForm } from "../../src/model/tables/forms.js";
import { scriptedModel } from "../../src/testing/index.js";
import { coded } from "../helpers/coded.js";
import { freePort } from "../helpers/free-port.js";
import { startLocalServer } from "../helpers/local-server.js";
import { type ServerReply, startOpenAIServer } from "../helpers/openai-server.js";

afterEach(() => vi.unstubAllEnvs());

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => {
      throw new Error(`It did not fail, but gave ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}

async function drain(model: BaseChatModel): Promise<string> {
  let text = "";
  for await (const chunk of await model.stream("Hi")) text += chunk.text;
  return text;
}

describe("loadModel", () => {
  it.each([
    ["sk-…", "apiKey: this key has a character that a key cannot have"],
    ["sk-\nx", "apiKey: this key has a character that a key cannot have"],
  ])("refuses the key %j, and does not show it", async (apiKey, message) => {
    const failure = await failureOf(loadModel("openai:m", { apiKey }));
    expect(failure).toBeInstanceOf(InvalidOptionError);
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain("sk-");
  });

  it("calls an OpenAI-compatible server by its base URL, without a key and with the server's name for the model", async () => {
    await using server = await startOpenAIServer(["whole", "in a stream"]);
    const model = await loadModel("llama3.2:3b", { baseUrl: server.url, env: {} });
    expect((await model.invoke("Hi", { stop: ["\nObservation:"] })).text).toBe("whole");
    expect(await drain(model)).toBe("in a stream");
    expect(server.requests[0]?.body).toMatchObject({ model: "llama3.2:3b", stop: ["\nObservation:"], stream: false });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer none");
    expect(server.requests[1]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it("takes the given key, else the key of the given environment", async () => {
    await using server = await startOpenAIServer(["a", "b", "c"]);
    const env = { OPENAI_API_KEY: "from-env", OPENAI_BASE_URL: server.url };
    await (await loadModel("openai:m", { env })).invoke("Hi");
    await (await loadModel("openai:m", { env, apiKey: "given" })).invoke("Hi");
    await (await loadModel("openai:m", { env: { OPENAI_BASE_URL: server.url } })).invoke("Hi");
    const keys = server.requests.map(({ headers }) => headers.authorization);
    expect(keys).toEqual(["Bearer from-env", "Bearer given", "Bearer none"]);
    expect(server.requests[0]?.body.model).toBe("m");
  });

  it("leaves key and base URL to LangChain when no environment is given", async () => {
    await using server = await startOpenAIServer(["a", "b"]);
    vi.stubEnv("OPENAI_API_KEY", "of-the-process");
    vi.stubEnv("OPENAI_BASE_URL", server.url);
    await (await loadModel("openai:m")).invoke("Hi");
    vi.stubEnv("OPENAI_BASE_URL", undefined);
    await (await loadModel("openai:m", { baseUrl: server.url })).invoke("Hi");
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer of-the-process",
      "Bearer none",
    ]);
  });

  it("names the variable of a missing key before anything is sent", async () => {
    vi.stubEnv("OPENAI_API_KEY", undefined);
    for (const options of [{}, { env: {} }, { env: { OPENAI_API_KEY: "" } }]) {
      const failure = await failureOf(loadModel("openai:gpt-4o-mini", options));
      expect(failure).toEqual(coded(SetupError, "missing-api-key"));
      expect(failure).toMatchObject({ needed: "OPENAI_API_KEY", message: expect.stringContaining("OPENAI_API_KEY") });
    }
  });

  it.each([
    ["gpt-4o", 'Write "openai:gpt-4o"'],
    ["", "a model's name is needed"],
    ["openai:", "names no model of openai"],
    ["openai", "is a provider; name one of its models"],
    ["skynet:t-800", '"skynet" is no provider that can be loaded'],
  ])("refuses the name %j and says what is possible", async (name, part) => {
    const failure = await failureOf(loadModel(name));
    expect(failure).toBeInstanceOf(InvalidOptionError);
    expect(failure).toMatchObject({ option: "model", message: expect.stringContaining(part) });
    expect(String(failure)).toContain("openai, anthropic");
  });

  it.each(["localhost:11434", "ftp://example.org", "not a url"])("refuses the base URL %j", async (baseUrl) => {
    await expect(loadModel("m", { baseUrl })).rejects.toThrow(`baseUrl: "${baseUrl}" is not a web address`);
  });

  it("refuses a base URL with a password without repeating it, and takes one with spaces around", async () => {
    const failure = await failureOf(loadModel("m", { baseUrl: "http://me:secret@127.0.0.1/v1" }));
    expect(String(failure)).toContain("baseUrl: a web address with a user or a password in it cannot be used");
    expect(String(failure)).not.toContain("secret");
    await using server = await startOpenAIServer(["Hello"]);
    const model = await loadModel("m", { baseUrl: ` ${server.url} `, env: {} });
    expect((await model.invoke("Hi")).text).toBe("Hello");
  });

  it("names the package to install for a provider whose package is missing", async () => {
    const failure = await failureOf(loadModel("groq:llama-3", { env: { GROQ_API_KEY: "k" } }));
    expect(failure).toEqual(coded(SetupError, "missing-package"));
    expect(String(failure)).toContain("npm install @langchain/groq");
  });

  it("makes the class of another provider's package, with its own field for the server", async () => {
    const made: unknown[] = [];
    class ChatAnthropic {
      readonly _llmType = () => "anthropic";
      readonly _modelType = () => "base_chat_model";
      readonly invoke = () => undefined;
      readonly stream = () => undefined;
      constructor(fields: { apiKey?: string }) {
        if (!fields.apiKey) throw new Error("Anthropic API key not found");
        made.push(fields);
      }
    }
    vi.doMock("@langchain/anthropic", () => ({ ChatAnthropic }));
    const options = { env: { ANTHROPIC_API_KEY: "k" }, baseUrl: "http://127.0.0.1:1/v1", maxRetries: 4 };
    await loadModel("anthropic:claude", options);
    const clientOptions = { authToken: null };
    const server = { anthropicApiUrl: "http://127.0.0.1:1/v1" };
    expect(made).toEqual([{ model: "claude", apiKey: "k", maxRetries: 4, clientOptions, ...server }]);
    for (const missing of [{}, { env: {} }]) {
      await expect(loadModel("anthropic:claude", missing)).rejects.toThrow("ANTHROPIC_API_KEY");
    }
    vi.doUnmock("@langchain/anthropic");
  });

  it("sends no setting of OpenAI's to a provider whose package uses OpenAI's client", async () => {
    await using server = await startOpenAIServer(["a"]);
    vi.stubEnv("OPENAI_ORG_ID", "org-of-openai");
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", "X-Gateway: header-of-openai\nAuthorization: Bearer other-of-openai");
    vi.doMock("@langchain/deepseek", () => ({ ChatDeepSeek: ChatOpenAICompletions }));
    const model = await loadModel("deepseek:m", { env: { DEEPSEEK_API_KEY: "k" }, baseUrl: server.url });
    expect((await model.invoke("Hi")).text).toBe("a");
    expect(server.requests[0]?.headers.authorization).toBe("Bearer k");
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("of-openai");
    vi.doUnmock("@langchain/deepseek");
  });
});

describe("a model's failures, over HTTP", () => {
  async function failureFor(reply: ServerReply, options: LoadModelOptions = {}) {
    await using server = await startOpenAIServer(() => reply);
    const model = await loadModel("openai:m", {
      baseUrl: server.url,
      env: { OPENAI_API_KEY: "k" },
      maxRetries: 0,
      ...options,
    });
    const failures: ModelError[] = [];
    for (const call of [() => model.invoke("Hi"), () => drain(model)]) {
      const raw = await failureOf(call());
      const failure = toModelError(raw, model);
      if (!(failure instanceof ModelError)) throw failure;
      expect(failure.cause).toBe(raw);
      failures.push(failure);
    }
    return { failures, url: server.url, requests: server.requests.length };
  }

  const cases: [name: string, reply: ServerReply, kind: string, sentence: string][] = [
    ["a wrong key", 401, "authentication", "refused the API key (401). Check the key in OPENAI_API_KEY."],
    ["a forbidden model", 403, "permission", "does not allow this key to use the model (403)"],
    ["an unknown model", 404, "not-found", "no such model (404): The model does not exist"],
    [
      "a refused request",
      { status: 400, message: "Unsupported parameter." },
      "refused",
      "(400): Unsupported parameter.",
    ],
    [
      "a conversation that is too long",
      { status: 400, code: "context_length_exceeded", message: "This model's maximum context length is 8192 tokens." },
      "too-long",
      "Keep less of it with the memory option",
    ],
    [
      "a quota that is used up",
      { status: 429, code: "insufficient_quota", message: "You exceeded your current quota." },
      "quota",
      "is used up (429)",
    ],
    ["a limit that lasts long", { status: 429, retryAfterSeconds: 600 }, "rate-limit", "gets too many requests (429)"],
    [
      "a page of a proxy",
      { status: 502, message: "<html><h1>Bad Gateway</h1></html>" },
      "server",
      "failed (502): it answered with a web page. Ask",
    ],
    ["words without an end", { status: 502, message: "x".repeat(5000) }, "server", "xxx… Ask again later."],
    ["a reply that is cut off", { text: "a b c d e", cutAfterPieces: 2 }, "interrupted", "broke off before the end"],
  ];

  it.each(cases)("reports %s", async (_, reply, kind, sentence) => {
    const told = await failureFor(reply);
    for (const failure of told.failures) {
      expect(failure).toMatchObject({ kind, message: expect.stringContaining(sentence) });
      expect(failure.message.length).toBeLessThan(600);
      if (kind !== "too-long") expect(failure.message).toContain(told.url);
    }
    expect(told.requests).toBe(2);
  });

  it("reports a web page in place of a reply, without a retry", async () => {
    let requests = 0;
    await using server = await startLocalServer((_, response) => {
      requests += 1;
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Welcome</html>");
    });
    const model = await loadModel("m", { baseUrl: server.origin, env: {}, maxRetries: 0 });
    for (const call of [() => model.invoke("Hi"), () => drain(model)]) {
      const failure = toModelError(await failureOf(call()), model);
      expect(failure).toMatchObject({ kind: "empty", message: expect.stringMatching(/web page.*end in \/v1/) });
    }
    expect(requests).toBe(2);
  });

  it("reports a server that is not running", async () => {
    const port = await freePort();
    for (const host of ["127.0.0.1", "localhost"]) {
      const model = await loadModel("m", { baseUrl: `http://${host}:${port}/v1`, env: {} });
      const failure = toModelError(await failureOf(model.invoke("Hi")), model);
      expect(failure).toMatchObject({
        kind: "unreachable",
        message: `The model's server at http://${host}:${port}/v1 cannot be reached: nothing listens there. Start the server, or give another base URL.`,
      });
    }
  });

  it("reports a host that does not exist", async () => {
    const cause = Object.assign(new Error("getaddrinfo ENOTFOUND nowhere.invalid"), { code: "ENOTFOUND" });
    const error = new Error("Connection error.", { cause: new TypeError("fetch failed", { cause }) });
    expect(toModelError(error)).toMatchObject({ kind: "unreachable", message: expect.stringMatching(/no such host/) });
  });

  it("reports a reply without choices", async () => {
    await using server = await startOpenAIServer(() => ({ noChoices: true }));
    const model = await loadModel("openai:m", { baseUrl: server.url, env: {}, maxRetries: 0 });
    const failure = toModelError(await failureOf(model.invoke("Hi")), model);
    expect(failure).toMatchObject({ kind: "empty", message: expect.stringContaining("with nothing in it") });
    expect(await drain(model)).toBe("");
  });

  it("leaves aborts, Glassloop's errors and unknown errors unchanged", async () => {
    await using server = await startOpenAIServer(() => ({ hang: true }));
    const model = await loadModel("openai:m", { baseUrl: server.url, env: {} });
    const signal = AbortSignal.timeout(50);
    const timedOut = await failureOf(model.invoke("Hi", { signal }));
    expect(toModelError(timedOut, model, signal)).toBe(timedOut);
    const refused = await failureOf(model.stream("Hi", { signal: AbortSignal.abort() }));
    expect(toModelError(refused, model)).toBe(refused);
    const aborted = new DOMException("This operation was aborted", "AbortError");
    const own = new SetupError("missing-api-key", "OPENAI_API_KEY", "openai");
    const unknown = new RangeError("?");
    for (const error of [aborted, own, unknown, undefined, "text"]) expect(toModelError(error)).toBe(error);
  });
});

describe("modelAbilities", () => {
  function named(model: string, options: { useResponsesApi?: boolean } = {}) {
    return new ChatOpenAI({ model, apiKey: "k", ...options });
  }

  it("says that reasoning models and the Responses API take no stop", () => {
    const without = ["o1", "o3-mini", "o4-mini", "gpt-5", "gpt-5.1-mini", "openai/gpt-5-nano", "gpt-5-codex", "grok-4"];
    for (const name of without) expect([name, modelAbilities(named(name)).stop]).toEqual([name, false]);
    const taking = ["gpt-4o-mini", "gpt-4.1", "gpt-5-chat-latest", "olmo", "llama3.2:3b", "Qwen/Qwen3-8B"];
    for (const name of taking) expect([name, modelAbilities(named(name)).stop]).toEqual([name, true]);
    expect(modelAbilities(named("gpt-4o", { useResponsesApi: true })).stop).toBe(false);
  });

  it("says which models make native tool calls", () => {
    expect(modelAbilities(named("gpt-4o")).nativeTools).toBe(true);
    expect(modelAbilities(named("o1-mini")).nativeTools).toBe(false);
    expect(modelAbilities(scriptedModel([])).nativeTools).toBe(true);
    expect(modelAbilities(scriptedModel([], { nativeTools: false })).nativeTools).toBe(false);
  });

  it("looks through settings bound to a model", () => {
    const bound = named("o3")
      .withConfig({ tags: ["a"] })
      .withConfig({ runName: "b" });
    expect(modelAbilities(bound)).toEqual({
      ...{ stop: false, nativeTools: true, files: ["image", "file"], fileForm: "older", responseFormat: true },
      refuses: ["unsigned-calls", "result-blocks"],
      form: openaiForm,
    });
  });

  it("assumes stop for unknown models", () => {
    expect(modelAbilities(scriptedModel([])).stop).toBe(true);
    expect(modelAbilities(undefined)).toEqual({
      stop: true,
      nativeTools: false,
      files: ["image", "audio", "video", "file"],
      fileForm: "older",
      refuses: [],
      form: openaiForm,
      responseFormat: false,
    });
  });
});

describe("the provider of a model", () => {
  it.each([
    ["openai", "openai"],
    ["xAI", "x_ai"],
    ["googlegenerativeai", "gcp.gemini"],
  ])("that LangChain calls %s is %s for OpenTelemetry, also inside bindings", (kind, provider) => {
    const model = scriptedModel([]);
    model._llmType = () => kind;
    expect(providerOfModel(model)).toBe(provider);
    expect(Reflect.apply(providerOfModel, undefined, [model.withConfig({ tags: ["bound"] })])).toBe(provider);
  });
});
