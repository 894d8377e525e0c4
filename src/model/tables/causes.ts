import type { ModelErrorKind } from "../../base/errors.js";
import { webPage } from "../server-words.js";
import { fullContexts } from "./full-contexts.js";

/** What a failure says, and what it means. A row fits if all that it names fits; the first row that fits counts. */
export interface Cause {
  readonly by: string;
  readonly kind: ModelErrorKind;
  /** The first and the last of the statuses; `none` for a failure without one. */
  readonly status?: readonly [from: number, to: number] | "none";
  /** A code of the body or of an error below, or the name of the error. */
  readonly code?: RegExp;
  readonly words?: RegExp;
}

const none = "none";

/** What packages of LangChain say of blocks that they do not send. They ask no server then. */
export const packageRefusal =
  /^unsupported (?:content|source|file|image)|^(?:unknown content|invalid media|invalid multimodal|invalid image url|malformed image url)|blocks with source_type|does not implement `fromStandard|^unable to convert content block|^this model does not support (?:images|audio|files)$|only supports types|^please provide image|fileId is not supported/i;

export const causes: readonly Cause[] = [
  ...fullContexts.map(([by, words]) => ({ by, words, kind: "too-long" as const })),
  {
    by: "OpenAI, llama.cpp, Z.ai, LangChain",
    code: /^(?:context_length_exceeded|exceed_context_size_error|model_context_window_exceeded|ContextOverflowError)$/,
    kind: "too-long",
  },
  { by: "Anthropic", status: [400, 400], words: /credit balance is too low/i, kind: "quota" },
  {
    by: "Gemini, xAI",
    status: [400, 400],
    words: /api key (?:not valid|expired)|incorrect api key/i,
    kind: "authentication",
  },
  { by: "HTTP", status: [401, 401], kind: "authentication" },
  { by: "HTTP", status: [402, 402], kind: "quota" },
  { by: "HTTP", status: [403, 403], kind: "permission" },
  { by: "HTTP", status: [404, 404], kind: "not-found" },
  { by: "HTTP", status: [408, 408], kind: "timeout" },
  { by: "HTTP", status: [413, 413], kind: "too-long" },
  {
    by: "Gemini, whose limit for a minute is a quota, too",
    status: [429, 429],
    words: /^(?!.*per ?day).*(?:per ?minute|please retry in \d|e\.g\. check quota)/i,
    kind: "rate-limit",
  },
  { by: "OpenAI", status: [429, 429], code: /insufficient_quota|quota|billing/i, kind: "quota" },
  { by: "each", status: [429, 429], words: /quota|billing|credit balance|out of credits/i, kind: "quota" },
  { by: "HTTP", status: [429, 429], kind: "rate-limit" },
  { by: "Groq", status: [498, 498], kind: "rate-limit" },
  { by: "HTTP", status: [400, 499], kind: "refused" },
  { by: "HTTP", status: [500, 599], kind: "server" },
  {
    by: "LangChain, Node",
    status: none,
    code: /^TimeoutError$|^ETIMEDOUT$|^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$/,
    kind: "timeout",
  },
  {
    by: "Node",
    status: none,
    code: /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/,
    kind: "unreachable",
  },
  { by: "Node", status: none, code: /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, kind: "interrupted" },
  { by: "a proxy", status: none, code: new RegExp(`^${webPage}$`), kind: "empty" },
  { by: "OpenAI, Anthropic", status: none, code: /^(?:insufficient_quota|billing_error)$/, kind: "quota" },
  {
    by: "OpenAI, Anthropic, Gemini",
    status: none,
    code: /^(?:rate_limit_exceeded|rate_limit_error|RESOURCE_EXHAUSTED)$/,
    kind: "rate-limit",
  },
  {
    by: "OpenAI, Anthropic, Gemini",
    status: none,
    code: /^(?:invalid_api_key|authentication_error|UNAUTHENTICATED)$/,
    kind: "authentication",
  },
  { by: "Anthropic, Gemini", status: none, code: /^(?:permission_error|PERMISSION_DENIED)$/, kind: "permission" },
  {
    by: "OpenAI, Anthropic, Gemini",
    status: none,
    code: /^(?:model_not_found|not_found_error|NOT_FOUND)$/,
    kind: "not-found",
  },
  { by: "Anthropic, Gemini", status: none, code: /^(?:timeout_error|DEADLINE_EXCEEDED)$/, kind: "timeout" },
  {
    by: "OpenAI, Anthropic, Gemini, vLLM",
    status: none,
    code: /^(?:invalid_request_error|INVALID_ARGUMENT|BadRequestError)$/,
    kind: "refused",
  },
  { by: "LangChain", status: none, words: packageRefusal, kind: "refused" },
  { by: "OpenAI's package", status: none, words: /request timed out/i, kind: "timeout" },
  {
    by: "Node, Gemini's package",
    status: none,
    words:
      /^terminated$|premature close|unexpected end of json input|unterminated string in json|error reading from the stream|failed to parse stream$/i,
    kind: "interrupted",
  },
  {
    by: "Ollama's package",
    status: none,
    words: /^did not receive done or success response in stream/i,
    kind: "interrupted",
  },
  {
    by: "the packages of OpenAI and Gemini, Node",
    status: none,
    words: /^connection error\.?$|^fetch failed$/i,
    kind: "unreachable",
  },
  {
    by: "LangChain, of a reply without a choice",
    status: none,
    words: /cannot read properties of undefined \(reading 'message'\)/i,
    kind: "empty",
  },
  { by: "LangChain", status: none, words: /received empty response from chat model call/i, kind: "empty" },
  { by: "Gemini's package", status: none, code: /^EmptyContentError$/, words: /block reason/i, kind: "refused" },
  { by: "Gemini's package", status: none, code: /^EmptyContentError$/, kind: "empty" },
  // Nothing but a piece of a reply is read as JSON here.
  { by: "the packages", status: none, code: /^SyntaxError$/, kind: "garbled" },
];
