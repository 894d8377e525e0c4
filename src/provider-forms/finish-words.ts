/** What a finish reason says of its reply. */
export type Ending = "whole" | "length" | "filtered" | "refused" | "paused" | "failed" | "unknown";

/** The words of servers for a reply that they ended early, in small letters, as their documentation and their source have them. */
export const endingsOfWords: Readonly<Record<string, Ending>> = {
  // OpenAI: chat completions, and the Responses API in `incomplete_details`.
  length: "length",
  max_output_tokens: "length",
  content_filter: "filtered",
  // Anthropic, on Bedrock and Vertex, too.
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
  pause_turn: "paused",
  content_filtered: "filtered",
  guardrail_intervened: "filtered",
  malformed_model_output: "failed",
  // Gemini: candidates. A blocked prompt has `prompt_blocked:` before its reason.
  safety: "filtered",
  recitation: "filtered",
  blocklist: "filtered",
  prohibited_content: "filtered",
  spii: "filtered",
  language: "filtered",
  image_safety: "filtered",
  image_prohibited_content: "filtered",
  image_recitation: "filtered",
  model_armor: "filtered",
  prompt_blocked: "filtered",
  other: "failed",
  malformed_response: "failed",
  // Mistral.
  model_length: "length",
  error: "failed",
  // DeepSeek.
  insufficient_system_resource: "failed",
  // GLM.
  sensitive: "filtered",
  network_error: "failed",
  // Cohere.
  error_toxic: "filtered",
  error_limit: "length",
  timeout: "failed",
  user_cancel: "failed",
  // vLLM and SGLang.
  abort: "failed",
  // watsonx.
  token_limit: "length",
  time_limit: "failed",
  cancelled: "failed",
  // LM Studio.
  maxpredictedtokensreached: "length",
  contextlengthreached: "length",
  modelunloaded: "failed",
  userstopped: "failed",
  failed: "failed",
  eosfound: "whole",
  stopstringfound: "whole",
  toolcalls: "whole",
  // Words that say nothing. Gemini's word for a call that it could not read is understood by the protocol.
  null: "whole",
  finish_reason_unspecified: "whole",
  malformed_function_call: "whole",
  unexpected_tool_call: "whole",
};

/** Words that mean an end, or a call, in whatever form. */
export const wholeWords = /^(?:stop|end|eos|completed?)(?![a-z])|^(?:tool|function|call)/;
