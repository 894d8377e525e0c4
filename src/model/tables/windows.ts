/**
 * The providers whose servers refuse a prompt that is too long, and say so, by LangChain's kind of their models. A model
 * whose package does not know its window has the usual one of its provider.
 */
export const providerWindows: readonly { readonly kind: string; readonly host: string; readonly window: number }[] = [
  { kind: "openai", host: "api.openai.com", window: 128_000 },
  { kind: "anthropic", host: "api.anthropic.com", window: 200_000 },
  { kind: "googlegenerativeai", host: "generativelanguage.googleapis.com", window: 1_048_576 },
  { kind: "mistral_ai", host: "api.mistral.ai", window: 128_000 },
  { kind: "groq", host: "api.groq.com", window: 131_072 },
  { kind: "xai", host: "api.x.ai", window: 131_072 },
  { kind: "deepseek", host: "api.deepseek.com", window: 131_072 },
  { kind: "cohere", host: "api.cohere.com", window: 128_000 },
];

/** Where a server tells the window that is in force for a model. */
export interface WindowSource {
  readonly server: string;
  /** The path on the server. `/v1` stands for the version in the address of the model. */
  readonly path: string;
  /** The name of the model is sent. */
  readonly posts?: true;
  /** The field with a list of models. If left out, the answer is about the model. */
  readonly list?: "models" | "data";
  /** The list has the models that are loaded now. One that is not loaded has no window yet. */
  readonly loaded?: true;
  /** The fields with the window, the first that is there. A text has it as the parameter `num_ctx`. */
  readonly fields: readonly string[];
}

/** The first that tells a window counts. The length with which a model was trained is not among the fields. */
export const windowSources: readonly WindowSource[] = [
  { server: "Ollama, a loaded model", path: "/api/ps", list: "models", loaded: true, fields: ["context_length"] },
  { server: "Ollama, a Modelfile", path: "/api/show", posts: true, fields: ["parameters"] },
  {
    server: "vLLM and SGLang, Groq, OpenRouter and others",
    path: "/v1/models",
    list: "data",
    fields: ["max_model_len", "context_window", "context_length"],
  },
  { server: "llama.cpp", path: "/props", fields: ["default_generation_settings.n_ctx", "n_ctx"] },
  { server: "LM Studio", path: "/api/v0/models", list: "data", fields: ["loaded_context_length"] },
];

/** Where the packages keep the address of the server, the key for it, and the headers of each request. */
export const addressFields = ["clientConfig.baseURL", "client.baseURL", "baseUrl", "apiUrl", "serverURL"];
export const keyFields = ["clientConfig.apiKey", "client.apiKey", "apiKey"];
export const headerFields = ["clientConfig.defaultHeaders", "client.config.headers"];
