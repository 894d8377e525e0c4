import { isGraphBubbleUp } from "@langchain/langgraph";
import type { Context, Span } from "@opentelemetry/api";
import { GlassloopError, ModelError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";

/** What a span says. The type is our own: the declarations must not need OpenTelemetry, which need not be installed. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** The beginning of a span. */
export interface SpanStart {
  readonly name: string;
  /** `client` for a call of another program. Default: `internal`. */
  readonly kind?: "client";
  readonly attributes: Attributes;
}

type Api = typeof import("@opentelemetry/api");

let api: Api | undefined;
let loading: Promise<void> | undefined;

/** Loads OpenTelemetry's API once, if the program has set it up. Until then no spans are made. */
export async function loadTracing(): Promise<void> {
  // All copies of the API keep the program's set-up here.
  if (!(Symbol.for("opentelemetry.js.api.1") in globalThis)) return;
  loading ??= import("@opentelemetry/api").then(
    (loaded) => {
      api = loaded;
    },
    () => undefined,
  );
  if (api === undefined) await loading;
}

/** Tells whether spans are made. */
export function hasTracing(): boolean {
  return api !== undefined;
}

/**
 * Tells whether spans may have what was said: prompts, replies, inputs and results of tools, the words of errors. The
 * variable is that of OpenTelemetry's conventions.
 */
export function keepsContents(): boolean {
  const { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: choice = "" } = process.env;
  return /^(?:true|span_only|span_and_event)$/i.test(choice);
}

/**
 * Does work in a span. What the work calls finds the span in OpenTelemetry's context, so its spans are children of this
 * one. Without OpenTelemetry the work is just done.
 *
 * @param start Describes the span. It is not called without OpenTelemetry.
 * @param end Returns attributes that are known at the end. It is not called without OpenTelemetry either.
 */
export function inSpan<Result>(
  start: () => SpanStart,
  end: () => Attributes,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = begin(start);
  if (begun === undefined) return work();
  const { api, span, context } = begun;
  return api.context.with(context, async () => {
    try {
      return await work();
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.setAttributes(end());
      span.end();
    }
  });
}

/**
 * Puts a stream into a span that begins now and ends with the stream.
 *
 * @param end Returns attributes that are known at the end.
 */
export function streamInSpan<Value>(
  start: () => SpanStart,
  stream: AsyncGenerator<Value>,
  end: () => Attributes,
): AsyncGenerator<Value> {
  const begun = begin(start);
  return begun === undefined ? stream : spannedStream(begun, stream, end);
}

async function* spannedStream<Value>(
  { api, span, context }: Begun,
  stream: AsyncGenerator<Value>,
  end: () => Attributes,
): AsyncGenerator<Value> {
  try {
    for (;;) {
      const { done, value } = await api.context.with(context, () => stream.next());
      if (done) return value;
      yield value;
    }
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    await stream.return(undefined);
    span.setAttributes(end());
    span.end();
  }
}

interface Begun {
  readonly api: Api;
  readonly span: Span;
  readonly context: Context;
}

/** Begins a span. Returns nothing if nobody listens: OpenTelemetry is not installed, or the program has not set it up. */
function begin(start: () => SpanStart): Begun | undefined {
  if (api === undefined) return undefined;
  const { trace, context, SpanKind, isSpanContextValid } = api;
  const { name, kind, attributes } = start();
  const options = { kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes };
  const span = trace.getTracer("glassloop").startSpan(name, options);
  if (!isSpanContextValid(span.spanContext())) return undefined;
  return { api, span, context: trace.setSpan(context.active(), span) };
}

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
const errorCode = 2;

/** Notes an error. A question to a person and a hand-over are none. The words of an error may tell what was said. */
function fail(span: Span, error: unknown): void {
  if (isGraphBubbleUp(error ?? undefined)) return;
  span.setAttribute("error.type", typeOf(error));
  span.setStatus({ code: errorCode, ...(keepsContents() && { message: withoutSecretForms(messageOf(error)) }) });
}

function typeOf(error: unknown): string {
  if (error instanceof ModelError) return error.kind;
  if (error instanceof GlassloopError) return error.code;
  return error instanceof Error ? error.name : "_OTHER";
}
