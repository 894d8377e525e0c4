import { z } from "zod";
import { parsedJson } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import { inOneLine } from "../base/shorten.js";
import { refusal } from "../provider-forms/finish-reason.js";
import { codeFields, wordFields } from "./tables/error-fields.js";

/** Makes the error of a stream that ended before its reply was complete. */
export function brokenOff(): Error {
  return Object.assign(new Error("The stream ended before its reply."), { code: "ECONNRESET" });
}

/** The end of an event stream. */
const endedStream = "data: [DONE]\n\n";

const refusedSchema = z.looseObject({ refusal: z.string().min(1) });
const choicesSchema = z.array(
  z.looseObject({
    message: z.unknown().optional(),
    delta: z.unknown().optional(),
    finish_reason: z.unknown().optional(),
  }),
);

function choicesOf({ choices }: Record<string, unknown>) {
  return choicesSchema.safeParse(choices).data ?? [];
}

const wordsSchema = z.union([z.string().min(1), z.array(z.looseObject({ msg: z.string() })).min(1)]);

/** Returns the error in an event of a stream, or in a whole reply: the body with the server's words. An event with choices is none. */
export function errorIn(event: unknown): unknown {
  if (!isRecord(event)) return undefined;
  const { error, response, choices } = event;
  if (error) return error;
  if (isRecord(response) && response.error) return response.error;
  if (Array.isArray(choices)) return undefined;
  const message = wordFields.map((field) => wordsSchema.safeParse(event[field]).data).find(Boolean);
  return message && { ...event, message, code: codeFields.map((field) => event[field]).find(Boolean) };
}

/** Returns an event of a stream. @throws the error in it, with its body under `error`. */
export function withoutError(event: unknown): unknown {
  const error = errorIn(event);
  if (error === undefined) return event;
  const code = isRecord(error) && typeof error.code === "string" ? { code: error.code } : {};
  throw Object.assign(new Error("The server sent an error."), { error, ...code });
}

/** Writes a whole reply as an event stream. A text that is no JSON stays as it is: its reader says so. */
export function eventsOf(reply: unknown): string {
  if (!isRecord(reply)) return `data: ${inOneLine(String(reply))}\n\n${endedStream}`;
  const choices = choicesOf(reply).map(({ message, ...choice }) => ({ ...choice, delta: deltaOf(message) }));
  return `data: ${JSON.stringify({ ...reply, choices })}\n\n${endedStream}`;
}

const partSchema = z.object({ type: z.literal("text"), text: z.string() });

/** Writes a message as a piece of a stream, in which content is a text. A choice that a filter stopped may have none. */
function deltaOf(message: unknown): unknown {
  if (!isRecord(message)) return {};
  const { content } = message;
  if (!Array.isArray(content)) return message;
  return { ...message, content: content.map((part) => partSchema.safeParse(part).data?.text ?? "").join("") };
}

/**
 * Makes the refusal in a reply its content, with the finish reason `refusal`. LangChain drops a refusal.
 *
 * @param refused True if an earlier piece of the reply was a refusal.
 * @returns The same reply if it has no refusal.
 */
export function withRefusal(reply: Record<string, unknown>, refused = false): Record<string, unknown> {
  const choices = choicesOf(reply);
  if (!refused && !choices.some(isRefused)) return reply;
  return {
    ...reply,
    choices: choices.map(({ message, delta, finish_reason, ...choice }) => ({
      ...choice,
      ...(message !== undefined && { message: spoken(message) }),
      ...(delta !== undefined && { delta: spoken(delta) }),
      finish_reason: finish_reason && refusal,
    })),
  };
}

function isRefused({ message, delta }: { message?: unknown; delta?: unknown }): boolean {
  return refusedSchema.safeParse(message ?? delta).success;
}

function spoken(said: unknown): unknown {
  const { data } = refusedSchema.safeParse(said);
  return data ? { ...data, content: data.refusal } : said;
}

/** Writes the role of the assistant in a piece that has none. LangChain drops the calls of a reply without a role. */
function withRole(reply: Record<string, unknown>): Record<string, unknown> {
  const choices = choicesOf(reply);
  const named = choices.map((choice) =>
    isRecord(choice.delta) ? { ...choice, delta: { ...choice.delta, role: "assistant" } } : choice,
  );
  return choices.length === 0 ? reply : { ...reply, choices: named };
}

/**
 * Makes a transform of an event stream. A refusal becomes content, and a missing role becomes the assistant's. An event that
 * is not JSON ends the stream with an error, and so does an end before the reply is complete, because the reply would look
 * complete.
 */
export function readableEvents(): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  const reader = new EventReader();
  let rest = "";
  return new TransformStream({
    transform(bytes, controller) {
      const events = (rest + decoder.decode(bytes, { stream: true })).split(/(?<=\n\r?\n)/);
      rest = /\n\r?\n$/.test(events.at(-1) ?? "") ? "" : (events.pop() ?? "");
      for (const event of events) controller.enqueue(encoder.encode(reader.read(event)));
    },
    flush(controller) {
      controller.enqueue(encoder.encode(reader.read(rest, true)));
      reader.end();
    },
  });
}

/** The last event of OpenAI's Responses API. */
const endOfResponse = /^response\.(?:completed|incomplete|failed|cancelled)$/;

/** LangChain cannot join arguments that are an object with those that are a text. */
const objectArguments = /"arguments":\s*\{/;

function asText(key: string, value: unknown): unknown {
  return key === "arguments" && isRecord(value) ? JSON.stringify(value) : value;
}

class EventReader {
  private refused = false;
  private hasRole = false;
  private state: "empty" | "open" | "ended" = "empty";

  /** Returns an event as the client can read it. The rest of a stream may be the beginning of an event. */
  read(event: string, isCut = false): string {
    const data = [...event.matchAll(/^data:(.*)/gm)].map(([, line = ""]) => line.trim()).join("\n");
    if (data.startsWith("[DONE]")) this.state = "ended";
    if (data === "" || this.state === "ended") return event;
    const chunk = withoutError(parsedJson(data));
    if (!isRecord(chunk)) throw isCut && data.startsWith("{") ? brokenOff() : new SyntaxError(data);
    const choices = choicesOf(chunk);
    if (choices.length > 0 && objectArguments.test(data))
      return this.read(`data: ${JSON.stringify(chunk, asText)}\n\n`);
    const isEnd = endOfResponse.test(String(chunk.type)) || choices.some(({ finish_reason }) => finish_reason);
    this.state = isEnd ? "ended" : "open";
    this.refused ||= choices.some(isRefused);
    this.hasRole ||= choices.some(({ delta }) => isRecord(delta) && delta.role);
    if (this.refused) return `data: ${JSON.stringify(withRefusal(chunk, true))}\n\n`;
    return this.hasRole || choices.length === 0 ? event : `data: ${JSON.stringify(withRole(chunk))}\n\n`;
  }

  end(): void {
    if (this.state !== "open") return;
    throw brokenOff();
  }
}
