import { z } from "zod";
import { GlassloopError, ModelError, type ModelErrorKind, type RequestPart } from "../base/errors.js";
import { errorWithoutSecrets, withoutSecretForms } from "../base/secrets/without-secrets.js";
import type { FailedCall } from "../core/parts/models.js";
import { unbound } from "../langgraph/chat-models.js";
import { failedCall, serverWords, statusIn, webPage } from "./server-words.js";

/**
 * Turns the failure of a model call into a readable error. The error says what happened, at which server, and what to
 * do.
 *
 * @param error The error that a LangChain chat model threw.
 * @param model The model that was asked. The message then names its server and the variable of its key.
 * @param signal The signal of the run. Every failure after an abort counts as the abort.
 * @returns A {@link ModelError} with the error as its cause. An abort, an error of Glassloop and an unknown error are
 *   returned unchanged.
 *
 * @example
 * ```ts
 * try {
 *   return await model.invoke(messages, { signal });
 * } catch (error) {
 *   throw toModelError(error, model, signal);
 * }
 * ```
 */
export function toModelError(error: unknown, model?: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted || error instanceof GlassloopError) return error;
  const kind = modelErrorKind(error);
  if (kind === undefined) return error;
  const status = statusOf(error);
  const [problem, advice] = sentences(kind, error, serverOf(model));
  const told = withoutSecretForms(problem);
  const [refuses, wait] = [refusedParts(kind, status, told), retryAfterMs(error)];
  return new ModelError(kind, told, { cause: errorWithoutSecrets(error), status, advice, refuses, retryAfterMs: wait });
}

/** Returns the kind of a model's failure, or undefined for an abort and for an unknown error. */
function modelErrorKind(error: unknown): ModelErrorKind | undefined {
  if (isAbort(error)) return undefined;
  const text = serverMessage(error);
  if (tooLong.test(text) || codesOf(error).includes("context_length_exceeded")) return "too-long";
  const status = statusOf(error);
  if (status !== undefined) return kindOfStatus(status, error);
  if (nameOf(error) === "TimeoutError") return "timeout";
  const byCode = codesOf(error).flatMap((code) => kindsOfCodes[code] ?? []);
  if (byCode[0] !== undefined) return byCode[0];
  const byMessage = kindsOfMessages.find(([pattern]) => pattern.test(text));
  if (byMessage) return byMessage[1];
  // Nothing but a piece of a reply is read as JSON here.
  if (nameOf(error) === "SyntaxError") return "garbled";
  return read(error)?.error === undefined ? undefined : "server";
}

const fileWords =
  /\b(?:images?(?:_url)?|vision|audio|videos?|files?|documents?|pdfs?|multi-?modal|mime type|content type)\b|source[ _]type|fromStandard|\bmedia(?:\b|_)|content\b.* a (?:valid )?string/i;

/** What servers say of a part of a request that they do not take: Ollama, vLLM, llama.cpp and others. */
const wordsOfParts: readonly (readonly [RequestPart, RegExp])[] = [
  ["tools", /\b(?:tools?|functions?)\b/i],
  ["files", fileWords],
  ["response-format", /response_?(?: ?format| mime)|json[ _]?(?:schema|mode|object)|structured output/i],
];

/** The kinds of a server that does not take a request. Some servers refuse with 404, 422 or 500. */
const refusals: ReadonlySet<ModelErrorKind> = new Set(["refused", "server", "not-found"]);

function refusedParts(kind: ModelErrorKind, status: number | undefined, problem: string): RequestPart[] {
  if (!refusals.has(kind)) return [];
  // The request is too large. Most of its bytes are files.
  if (status === 413) return ["files"];
  return wordsOfParts.flatMap(([part, words]) => (words.test(problem) ? [part] : []));
}

/** Reads the slip of a model, if that is why its server failed. */
export function failedCallOf(error: unknown): FailedCall | undefined {
  return failedCall(read(error)?.error);
}

/** Returns the milliseconds that the provider wants to wait before the next try, or undefined if it does not say. */
function retryAfterMs(error: unknown): number | undefined {
  const headers = z.object({ headers: z.instanceof(Headers) }).safeParse(error);
  const value = headers.success ? headers.data.headers.get("retry-after") : null;
  if (value === null) return undefined;
  const milliseconds = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

const tooLong =
  /maximum (?:context|model|prompt|sequence) length|context (?:window|size|limit)|context_length_exceeded|(?:prompt|input) (?:\([^)]*\) )?is too long|maximum number of tokens|reduce the length of the messages/i;
const quota = /insufficient_quota|quota|billing|credit balance|out of credits/i;

const kindsOfCodes: Readonly<Record<string, ModelErrorKind>> = {
  ECONNREFUSED: "unreachable",
  ENOTFOUND: "unreachable",
  EAI_AGAIN: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  ECONNRESET: "interrupted",
  EPIPE: "interrupted",
  UND_ERR_SOCKET: "interrupted",
  [webPage]: "empty",
  insufficient_quota: "quota",
  rate_limit_exceeded: "rate-limit",
};

/** What packages of LangChain say of blocks that they do not send. They ask no server then. */
const packageRefusal =
  /^unsupported (?:content|source|file|image)|^(?:unknown content|invalid media|invalid multimodal|invalid image url|malformed image url)|blocks with source_type|does not implement `fromStandard|^unable to convert content block|^this model does not support (?:images|audio|files)$|only supports types|^please provide image|fileId is not supported/i;

/** The failures that packages tell only in words. The last two are LangChain's, for a reply without a choice. */
const kindsOfMessages: readonly (readonly [RegExp, ModelErrorKind])[] = [
  [packageRefusal, "refused"],
  [/request timed out/i, "timeout"],
  [
    /^terminated$|premature close|unexpected end of json input|unterminated string in json|error reading from the stream/i,
    "interrupted",
  ],
  [/^connection error\.?$|^fetch failed$/i, "unreachable"],
  [/cannot read properties of undefined \(reading 'message'\)/i, "empty"],
  [/received empty response from chat model call/i, "empty"],
];

function kindOfStatus(status: number, error: unknown): ModelErrorKind | undefined {
  if (status === 401) return "authentication";
  if (status === 403) return "permission";
  if (status === 404) return "not-found";
  if (status === 408) return "timeout";
  if (status === 402) return "quota";
  if (status === 429)
    return [serverMessage(error), ...codesOf(error)].some((text) => quota.test(text)) ? "quota" : "rate-limit";
  if (status >= 500) return "server";
  return status >= 400 ? "refused" : undefined;
}

/** Returns what happened, and what to do. */
function sentences(
  kind: ModelErrorKind,
  error: unknown,
  { at, variable }: ReturnType<typeof serverOf>,
): [problem: string, advice?: string] {
  const place = `${server}${at}`;
  const status = statusOf(error) === undefined ? "" : ` (${statusOf(error)})`;
  const words = wordsOf(error);
  const why = words === "" ? "." : `: ${words}`;
  switch (kind) {
    case "authentication":
      return [`${place} refused the API key${status}.`, `Check the key in ${variable}.`];
    case "permission":
      return [`${place} does not allow this key to use the model${status}${why}`, "Use another key or another model."];
    case "not-found":
      return [
        `${place} has no such model${status}${why}`,
        "Check the model's name, and the base URL if you gave one: most end in /v1.",
      ];
    case "too-long":
      return [
        `The conversation is longer than the model can read${status}${why}`,
        "Keep less of it with the memory option, or use a model with a larger context window.",
      ];
    case "refused":
      return [`${status === "" ? "The package of the model" : place} refused the request${status}${why}`];
    case "rate-limit":
      return [`${place} gets too many requests${status}${why}`, "Wait a little and ask again."];
    case "quota":
      return [
        `The account's quota at the model's server${at} is used up${status}${why}`,
        "Check its plan and billing, or use another key.",
      ];
    case "server":
      return [`${place} failed${status}${why}`, "Ask again later."];
    case "unreachable":
      return [`${place} cannot be reached: ${reachProblem(codesOf(error))}`];
    case "timeout":
      return [`${place} did not answer in time.`, "Ask again, or allow it more time."];
    case "interrupted":
      return [`The connection to the model's server${at} broke off before the end of the reply.`, "Ask again."];
    case "empty":
      return codesOf(error).includes(webPage)
        ? [`${place} answered with a web page.`, "Check the base URL: most end in /v1."]
        : [`${place} sent a reply with nothing in it.`, checkServer];
    case "garbled":
      return [`${place} sent a reply that cannot be read: ${words}`, checkServer];
  }
}

const checkServer = "Ask again. If the error stays, check that the server speaks the API of its provider.";

/** Returns the words of the server as a sentence. A server in between, such as a proxy, may answer with a web page. */
function wordsOf(error: unknown): string {
  const words = serverMessage(error);
  if (words === "") return "";
  if (/^<(?:!doctype|html|head|body)\b/i.test(words)) return "it answered with a web page.";
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

function reachProblem(codes: readonly string[]): string {
  if (codes.includes("ECONNREFUSED")) return "nothing listens there. Start the server, or give another base URL.";
  return codes.includes("ENOTFOUND")
    ? "there is no such host. Check the network connection and the base URL."
    : "the network connection failed. Check it, and the base URL.";
}

const modelSchema = z.object({
  clientConfig: z.object({ baseURL: z.string().optional() }).optional(),
  lc_secrets: z.record(z.string(), z.string()).optional(),
});

const server = "The model's server";

/** Returns the words for the server of a model, with its address if that is known. */
export function serverName(model: unknown): string {
  return `${server}${serverOf(model).at}`;
}

/** Returns the text ` at http://…`, which is empty if the address is not known, and the variable of the key. */
function serverOf(model: unknown) {
  const known = modelSchema.safeParse(unbound(model)).data;
  return {
    at: known?.clientConfig?.baseURL ? ` at ${known.clientConfig.baseURL}` : "",
    variable: known?.lc_secrets?.apiKey ?? "the environment or in the option apiKey",
  };
}

function isAbort(error: unknown): boolean {
  return /AbortError$/.test(nameOf(error)) || /^(?:AbortError|Aborted|Cancel)/.test(serverMessage(error));
}

const failureSchema = z.object({
  name: z.string().catch(""),
  message: z.string().catch(""),
  status: z.number().optional().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  status_code: z.number().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  cause: z.unknown().optional(),
  /** The body, as OpenAI's and Anthropic's clients give it. */
  error: z.unknown().optional(),
  errors: z.array(z.unknown()).catch([]),
});

function read(error: unknown): z.infer<typeof failureSchema> | undefined {
  return failureSchema.safeParse(error).data;
}

function nameOf(error: unknown): string {
  return read(error)?.name ?? "";
}

function statusOf(error: unknown): number | undefined {
  const failure = read(error);
  return failure?.status ?? failure?.statusCode ?? failure?.status_code ?? statusIn(failure?.error);
}

function serverMessage(error: unknown): string {
  const failure = read(error);
  return serverWords(failure?.error, failure?.message ?? "");
}

/**
 * Returns the codes of an error and of its causes, outermost first. Node hides a refused connection three errors deep.
 */
function codesOf(error: unknown, depth = 5): string[] {
  const failure = read(error);
  if (failure === undefined || depth === 0) return [];
  const inner = [failure.cause, ...failure.errors].flatMap((cause) => codesOf(cause, depth - 1));
  return [...(failure.code === undefined ? [] : [failure.code]), ...inner];
}
