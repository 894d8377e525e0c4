import { AIMessageChunk } from "@langchain/core/messages";
import { z } from "zod";
import type { Run, RunEvent } from "../engine/run-engine.js";
import type { SentEvent } from "../wire/event-stream.js";
import { wireJson } from "../wire/wire-json.js";

type NewEvent = Omit<RunEvent, "seq">;

const messageSchema = z.looseObject({ type: z.string(), id: z.string() });
type Message = z.output<typeof messageSchema>;
const tupleSchema = z.tuple([messageSchema, z.unknown()]);
const valuesSchema = z.object({ messages: z.array(z.unknown()) });

/**
 * The older mode `messages` of LangGraph's server: each token comes as the message so far (`messages/partial`), and each message
 * once more when it is complete. The events are made of the chunks and the values that a run records.
 */
export class MessageEvents {
  readonly #partial = new Map<string, AIMessageChunk>();
  readonly #complete = new Set<string>();

  /** Returns the events of this mode that an event of a run stands for. */
  of({ event, json }: RunEvent): NewEvent[] {
    if (event === "values") return this.#completed(JSON.parse(json));
    if (!event.startsWith("messages")) return [];
    const read = tupleSchema.safeParse(JSON.parse(json));
    if (!read.success) return [];
    const [message, metadata] = read.data;
    const isNew = !this.#partial.has(message.id);
    const partial = { event: "messages/partial", json: wireJson([this.#grown(message)]) };
    const beginning = { event: "messages/metadata", json: wireJson({ [message.id]: { metadata } }) };
    return isNew ? [beginning, partial] : [partial];
  }

  #grown(message: Message): unknown {
    if (message.type !== "ai") return message;
    const chunk = new AIMessageChunk(message);
    const grown = this.#partial.get(message.id)?.concat(chunk) ?? chunk;
    this.#partial.set(message.id, grown);
    return grown;
  }

  #completed(values: unknown): NewEvent[] {
    const all = valuesSchema.safeParse(values).data?.messages ?? [];
    const fresh = all.filter((message) => {
      const id = messageSchema.safeParse(message).data?.id;
      if (id === undefined || this.#complete.has(id)) return false;
      this.#complete.add(id);
      return true;
    });
    return fresh.length === 0 ? [] : [{ event: "messages/complete", json: wireJson(fresh) }];
  }
}

/** Yields the events of a run in the modes that its client asked for, with their ids for `Last-Event-ID`. */
export async function* eventsFor(
  { given }: Pick<Run, "given">,
  after: number,
  read: (after: number) => AsyncIterable<RunEvent>,
): AsyncGenerator<SentEvent> {
  const isOlder = given.streamMode.includes("messages");
  const older = new MessageEvents();
  // The older mode needs the chunks from the beginning, also for a reader that comes back.
  for await (const record of read(isOlder ? 0 : after)) {
    const made = isOlder ? older.of(record) : [];
    if (record.seq <= after) continue;
    const all = [...(isAsked(record.event, given.streamMode) ? [record] : []), ...made];
    // A reader that comes back would miss those that have the same id.
    for (const [index, { event, json }] of all.entries()) {
      yield { event, json, id: index === all.length - 1 ? String(record.seq - 1) : "" };
    }
  }
}

function isAsked(event: string, modes: readonly string[]): boolean {
  const [mode = ""] = event.split("|");
  if (mode === "messages") return modes.includes("messages-tuple");
  return mode !== "values" || modes.includes("values");
}
