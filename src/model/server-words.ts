import { z } from "zod";
import { parsedJson } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import { withoutSecretForms } from "../base/secrets/without-secrets.js";
import { inOneLine, shorten } from "../base/shorten.js";
import type { FailedCall } from "../core/parts/models.js";

/** The error code for a web page that came instead of a reply. Many servers send such a page at their main address. */
export const webPage = "GLASSLOOP_WEB_PAGE";

const statusSchema = z.coerce.number().int().min(400).max(599);

/** Returns the HTTP status that an error names in its body, the only status of an error inside a stream. */
export function statusIn(body: unknown): number | undefined {
  if (!isRecord(body)) return undefined;
  return [body.status_code, body.code].map((code) => statusSchema.safeParse(code).data).find((code) => code);
}

/** The most characters of words that are shown, and that are searched for what they mean. */
export const shownWords = 300;
const readWords = 4_000;

const added =
  /^\d{3} (?:status code \(no body\)$)?|^\[GoogleGenerativeAI Error\]: Error fetching from \S+: (?:\[\d{3}[^\]]*\] )?/;

/**
 * Returns the words of a server in one line.
 *
 * @param body The body of the error, if it is known.
 * @param message The message of the error that the package made.
 * @returns An empty text if the server said nothing.
 */
export function serverWords(body: unknown, message: string): string {
  // The packages add the status, the address and a link.
  const [told = ""] = message.replace(added, "").split("\n\nTroubleshooting URL");
  return shorten(withoutSecretForms(inOneLine(wordsIn(body) ?? told)), readWords);
}

/** What FastAPI says of a request: the places in it, and what is wrong there. */
const complaintsSchema = z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() })).min(1);
const metadataSchema = z.object({ raw: z.string() });

function wordsIn(body: unknown): string | undefined {
  if (typeof body === "string") return body;
  const complaints = complaintsSchema.safeParse(body).data;
  if (complaints) return complaints.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  if (!isRecord(body)) return undefined;
  const words = wordsIn(body.message ?? body.error ?? body.detail);
  // OpenRouter only passes on what its providers say.
  const { data } = metadataSchema.safeParse(body.metadata);
  const raw = data && (wordsIn(parsedJson(data.raw)) ?? data.raw);
  return words && raw ? `${words}: ${raw}` : words;
}

const slipSchema = z.object({
  code: z.literal("tool_use_failed").optional().catch(undefined),
  failed_generation: z.string().optional().catch(undefined),
});

/**
 * Reads a malformed tool call from its server's error (Groq: `tool_use_failed`). The text is a reply like any other. The
 * error does not mean that the server refuses tools.
 *
 * @returns Undefined for every other body.
 */
export function failedCall(body: unknown): FailedCall | undefined {
  const { data } = slipSchema.safeParse(body);
  if (data?.code === undefined && data?.failed_generation === undefined) return undefined;
  return { text: data.failed_generation ?? "", words: shorten(serverWords(body, ""), shownWords) };
}
