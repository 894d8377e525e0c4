import { z } from "zod";
import { isRecord } from "../base/is-record.js";
import { serverWords, statusIn } from "./server-words.js";

const failureSchema = z.object({
  name: z.string().catch(""),
  message: z.string().catch(""),
  status: z.number().optional().catch(undefined),
  statusCode: z.number().optional().catch(undefined),
  status_code: z.number().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  cause: z.unknown().optional(),
  /** The body, as the clients of OpenAI, Anthropic and Ollama give it. */
  error: z.unknown().optional(),
  errors: z.array(z.unknown()).catch([]),
  headers: z.instanceof(Headers).optional().catch(undefined),
});
type Read = z.infer<typeof failureSchema>;

/** What an error of a package says about the failure of a call. */
export interface Failure {
  readonly name: string;
  /** The words of the server, else those of the package. */
  readonly words: string;
  readonly status: number | undefined;
  readonly body: unknown;
  /** The codes of the error, of those below it and of the body, and the name of the error. */
  readonly codes: readonly string[];
  /** The milliseconds that the server wants to wait before the next try; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;
}

/** Reads an error. An error that only wraps the one with the status or the body has neither of its own. */
export function readFailure(error: unknown): Failure {
  const chain = chainOf(error);
  const [outermost] = chain;
  const told = chain.find((one) => statusOf(one) !== undefined || one.error !== undefined) ?? outermost;
  const name = outermost?.name ?? "";
  return {
    name,
    words: serverWords(told?.error, told?.message ?? ""),
    status: told && statusOf(told),
    body: told?.error,
    codes: [...chain.flatMap(({ code = [] }) => code), ...codesIn(told?.error), name],
    retryAfterMs: retryAfter(told?.headers?.get("retry-after")),
  };
}

/** Returns an error and those below it, outermost first. Node hides a refused connection three errors deep. */
function chainOf(error: unknown, depth = 5): Read[] {
  const { data } = failureSchema.safeParse(error);
  if (data === undefined || depth === 0) return [];
  return [data, ...[data.cause, ...data.errors].flatMap((inner) => chainOf(inner, depth - 1))];
}

function statusOf({ status, statusCode, status_code, error }: Read): number | undefined {
  return status ?? statusCode ?? status_code ?? statusIn(error);
}

/** Returns the codes in a body. Anthropic's error is inside another one. */
function codesIn(body: unknown): string[] {
  if (!isRecord(body)) return [];
  const { code, type, status, error } = body;
  return [...[code, type, status].filter((one) => typeof one === "string"), ...codesIn(error)];
}

function retryAfter(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const milliseconds = Number.isNaN(Number(value)) ? Date.parse(value) - Date.now() : Number(value) * 1000;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
