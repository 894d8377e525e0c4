import { isDeepStrictEqual } from "node:util";
import type { EventDetails, EventOf, TurnEvent } from "../core/run/events.js";
import type { ApprovalRequest } from "../core/state/approval.js";
import type { CitedSource } from "../core/state/source.js";
import type { FinishReason, TurnChunk } from "./turn-chunk.js";

type Call = Pick<EventOf<"action">, "id" | "tool" | "path" | "by"> & { readonly input: unknown };

/** Makes the chunks of a turn, event by event. */
export class TurnChunks {
  /** The ids of the parts that go on. */
  readonly #open = new Map<"text" | "reasoning", string>();
  #parts = 0;
  #steps = 0;
  #isWritten = false;
  /** The inputs of the calls that the page has, by the ids of the calls. */
  readonly #called = new Map<string, unknown>();
  /** Calls of an earlier run, by their ids. */
  readonly #earlier = new Map<string, Call>();
  readonly #refused = new Set<string>();

  /** Yields the chunks of an event. Of agents in tools only their calls and their questions to people have some. */
  *of(event: TurnEvent): Generator<TurnChunk> {
    if (event.type === "turn-start") this.#remember(event);
    if (event.type === "interrupt") yield { type: "data-interrupt", id: event.interrupt, data: event.value };
    if (event.type === "action") yield* this.#call({ ...event, input: event.toolInput });
    if (event.type === "approval") for (const request of event.requests) yield* this.#ask(request, event.path);
    if (event.type === "decision" && event.decision.type === "refuse") yield* this.#refuse(event.id);
    if (event.type === "observation") yield* this.#observe(event);
    if (event.path.length > 0) return;
    if (event.type === "turn-start") yield { type: "start" };
    if (event.type === "model-start" && event.purpose === "reply") yield* this.#step();
    if (event.type === "reasoning-delta" || event.type === "thought") yield* this.#say("reasoning", event);
    if (event.type === "reasoning" || event.type === "thought") yield* this.#close("reasoning");
    if (event.type === "retry" || event.type === "model-fallback") yield* this.#close("reasoning", true);
    if (event.type === "answer-delta") yield* this.#say("text", event);
    if (event.type === "output-delta") yield* this.#write(event);
    if (event.type === "answer-reset") yield* this.#reset(event);
    if (event.type === "citations") yield { type: "data-citations", id: event.turn, data: event.citations };
    if (event.type === "answer") yield* this.#answer(event);
    if (event.type === "error") yield* this.fail(event);
    if (event.type === "turn-end") yield* this.#end(event);
  }

  /** Yields the chunks of an error. Only the words of Glassloop's errors are meant for others. */
  *fail({ code, message }: Pick<EventDetails<"error">, "code" | "message">): Generator<TurnChunk> {
    yield* this.#closeAll();
    yield { type: "error", errorText: code === undefined ? "The turn failed." : message };
  }

  *#say(kind: "text" | "reasoning", { text, step }: Pick<EventOf<"thought">, "text" | "step">): Generator<TurnChunk> {
    if (kind === "text") yield* this.#close("reasoning");
    let id = this.#open.get(kind);
    if (id === undefined) {
      this.#parts += 1;
      id = `${step}-${this.#parts}`;
      this.#open.set(kind, id);
      yield { type: `${kind}-start`, id };
    }
    yield { type: `${kind}-delta`, id, delta: text };
  }

  *#close(kind: "text" | "reasoning", isReset = false): Generator<TurnChunk> {
    const id = this.#open.get(kind);
    if (id === undefined) return;
    this.#open.delete(kind);
    yield { type: `${kind}-end`, id, ...(isReset && { providerMetadata: { glassloop: { reset: true } } }) };
  }

  *#write({ turn, output }: Pick<EventOf<"output-delta">, "turn" | "output">): Generator<TurnChunk> {
    this.#isWritten = output !== null;
    yield { type: "data-output", id: turn, data: output };
  }

  *#reset({ turn }: EventOf<"answer-reset">): Generator<TurnChunk> {
    yield* this.#close("text", true);
    // A data part can be replaced, unlike words.
    if (this.#isWritten) yield* this.#write({ turn, output: null });
  }

  *#closeAll(): Generator<TurnChunk> {
    yield* this.#close("reasoning");
    yield* this.#close("text");
  }

  *#step(): Generator<TurnChunk> {
    yield* this.#closeAll();
    if (this.#steps > 0) yield { type: "finish-step" };
    this.#steps += 1;
    yield { type: "start-step" };
  }

  *#call({ id, tool, input, path, by }: Call): Generator<TurnChunk> {
    yield* this.#close("reasoning");
    this.#called.set(id, input);
    const ran = by === "provider" && { providerExecuted: true as const };
    const marked = path.length > 0 && { providerMetadata: { glassloop: { path } } };
    yield { type: "tool-input-available", toolCallId: id, toolName: tool, input, dynamic: true, ...ran, ...marked };
  }

  *#ask(request: ApprovalRequest, path: string[]): Generator<TurnChunk> {
    const { id, tool, input, digest, note, description, why, allowed, complaint } = request;
    // A page that was loaded anew does not have the calls of an earlier run. Others have what the model wrote.
    if (!isDeepStrictEqual(this.#called.get(id), input)) yield* this.#call({ id, tool, input, path });
    const approvalDescriptor = { note, description, why, allowed, complaint };
    yield { type: "tool-approval-request", toolCallId: id, approvalId: id, signature: digest, approvalDescriptor };
  }

  #remember({ actions = [], path }: EventOf<"turn-start">): void {
    for (const { id, tool, toolInput: input } of actions) this.#earlier.set(id, { id, tool, input, path });
  }

  /** Shows a call of an earlier run again: a page that was loaded anew does not have it, and would fail at its result. */
  *#recall(id: string): Generator<TurnChunk> {
    const call = this.#earlier.get(id);
    if (call && !this.#called.has(id)) yield* this.#call(call);
  }

  *#refuse(toolCallId: string): Generator<TurnChunk> {
    yield* this.#recall(toolCallId);
    this.#refused.add(toolCallId);
    yield { type: "tool-output-denied", toolCallId };
  }

  *#observe({ id: toolCallId, text, status }: EventOf<"observation">): Generator<TurnChunk> {
    if (this.#refused.has(toolCallId)) return;
    yield* this.#recall(toolCallId);
    if (status === "error") yield { type: "tool-output-error", toolCallId, errorText: text };
    else yield { type: "tool-output-available", toolCallId, output: text };
  }

  *#answer({ turn, output, sources = [] }: EventOf<"answer">): Generator<TurnChunk> {
    yield* this.#closeAll();
    if (output !== undefined) yield* this.#write({ turn, output });
    yield* sources.map(sourceChunk);
  }

  *#end({ turn, stopReason, usage }: EventOf<"turn-end">): Generator<TurnChunk> {
    yield* this.#closeAll();
    if (this.#steps > 0) yield { type: "finish-step" };
    if (stopReason === "cancelled") yield { type: "abort" };
    const finishReason = finishReasons[stopReason] ?? "other";
    yield { type: "finish", finishReason, messageMetadata: { turn, stopReason, usage } };
  }
}

/** Makes the chunk of a source. Only an address on the web becomes a link, because a page would run `javascript:`. */
function sourceChunk({ number, title, address }: CitedSource): TurnChunk {
  const sourceId = String(number);
  if (/^https?:\/\//i.test(address)) return { type: "source-url", sourceId, url: address, title };
  return { type: "source-document", sourceId, mediaType: "application/octet-stream", title, filename: address };
}

const answered = {
  answered: "stop",
  returned: "stop",
  refused: "stop",
  "not-found": "stop",
  ungrounded: "stop",
} as const;
const finishReasons: Readonly<Partial<Record<EventOf<"turn-end">["stopReason"], FinishReason>>> = {
  ...answered,
  length: "length",
  filtered: "content-filter",
  waiting: "tool-calls",
  failed: "error",
};
