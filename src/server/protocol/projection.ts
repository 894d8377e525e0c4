import { z } from "zod";
import { isRecord } from "../../base/is-record.js";
import { namespaceParts } from "../../langgraph/node-path.js";
import type { Run, RunEvent } from "../engine/run-engine.js";
import { placeOfTaskSchema } from "../engine/wire-events.js";
import { chunkSchema, MessageBlocks } from "./message-blocks.js";
import type { ProtocolEvent } from "./protocol-event.js";

/** The numbers that a stored event may take, and those of a run. */
const EVENT_NUMBERS = 64;
const RUN_NUMBERS = 2 ** 26;

type Namespace = readonly string[];
type Made = readonly [method: string, namespace: Namespace, data: unknown, node?: string];

const tupleSchema = z.tuple([
  chunkSchema,
  z.looseObject({ langgraph_checkpoint_ns: z.string().nullish(), langgraph_node: z.string().nullish() }),
]);
const messagesSchema = z.object({ messages: z.array(z.looseObject({ id: z.string().nullish() })) });
const interruptsSchema = z.array(z.looseObject({ id: z.string(), value: z.unknown() }));
const resumeSchema = z.looseObject({ resume: z.record(z.string().regex(/^[0-9a-f]{32}$/), z.unknown()) });
const toolSchema = z.looseObject({
  event: z.string(),
  toolCallId: z.string().nullish(),
  name: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

/** The number before the first one of a run. The runs of a thread are executed in the order of their numbers. */
export function numberBefore({ number }: Pick<Run, "number">): number {
  return number * RUN_NUMBERS;
}

/** The number of the run of an event. */
export function runOf(seq: number): number {
  return Math.floor(seq / RUN_NUMBERS);
}

/** The number of an event: of those that are made of a stored one, the place from 0. */
function numberOf(run: Run, stored: number, place: number): number {
  return numberBefore(run) + stored * EVENT_NUMBERS + Math.min(place, EVENT_NUMBERS - 1);
}

/** Reads the id of an event: its run, and the number of the event there. */
export function readEventId(id: string) {
  const [, run, stored, place] = /^synth:(.+):(\d{1,9})\.(\d{1,9})$/.exec(id) ?? [];
  return run === undefined ? undefined : { run, numberIn: (of: Run) => numberOf(of, Number(stored), Number(place)) };
}

/** A message that has not ended, and where it comes from. */
interface OpenMessage {
  readonly blocks: MessageBlocks;
  readonly namespace: Namespace;
  readonly node: string | undefined;
}

/**
 * Makes the events of version 2 of those that a run stores. They are made of these alone: a reader that comes back, and another
 * server, get the same ones with the same ids.
 */
export class Projection {
  readonly #open = new Map<string, OpenMessage>();
  /** The messages that have ended, or that a state has. */
  readonly #known = new Set<string>();
  readonly #asked = new Set<string>();
  #at = 0;
  #seq = 0;

  constructor(private readonly run: Run) {}

  /** Returns the events that a stored event stands for. */
  of(event: RunEvent): ProtocolEvent[] {
    const [mode = "", ...namespace] = event.event.split("|");
    this.#at = event.at;
    this.#seq = event.seq;
    return this.#numbered(this.#made(mode, namespace, event));
  }

  /** Returns the events of the end of the run. @param ended The run; undefined if it was undone. */
  end(ended: Run | undefined): ProtocolEvent[] {
    const { status = "interrupted", error } = ended ?? {};
    this.#seq += 1;
    const word = status === "success" && this.#asked.size > 0 ? "interrupted" : (endings[status] ?? "failed");
    const failure = error && { error: `${error.name}: ${error.message}` };
    // Clients drop a message without an end at the end of its run, unless the state has it: it was cut off.
    const messages = status === "success" ? this.#ended(() => true) : [];
    return this.#numbered([...messages, this.#lifecycle(word, failure)]);
  }

  #numbered(made: readonly Made[]): ProtocolEvent[] {
    const { id } = this.run;
    return made.map(([method, namespace, data, node], index) => ({
      type: "event",
      // By this form the SDK knows which run an event is of.
      event_id: `synth:${id}:${this.#seq}.${index}`,
      seq: numberOf(this.run, this.#seq, index),
      method,
      params: { namespace, timestamp: this.#at, ...(node && { node }), data },
    }));
  }

  #made(mode: string, namespace: Namespace, { json, checkpoint }: RunEvent): Made[] {
    const data: unknown = JSON.parse(json);
    if (mode === "metadata") return this.#begun();
    if (mode === "messages") return this.#message(namespace, data);
    if (mode === "values") return this.#values(namespace, data, checkpoint);
    if (mode === "place") return this.#place(namespace, data);
    if (mode === "tools") return [["tools", namespace, toolData(data)]];
    if (mode === "custom") return [["custom", namespace, isRecord(data) && "name" in data ? data : { payload: data }]];
    return [];
  }

  /** Each attempt begins anew: clients then drop what an earlier one said, and the state does not have. */
  #begun(): Made[] {
    this.#open.clear();
    const answered = Object.keys(resumeSchema.safeParse(this.run.given.command).data?.resume ?? {});
    const events: Made[] = [this.#lifecycle("running")];
    return answered.length > 0 ? [...events, ["input.answered", [], { interrupt_ids: answered }]] : events;
  }

  #lifecycle(event: string, failure?: object): Made {
    return ["lifecycle", [], { event, graph_name: this.run.graph, ...failure }];
  }

  #message(namespace: Namespace, data: unknown): Made[] {
    const read = tupleSchema.safeParse(data).data;
    if (read === undefined || this.#known.has(read[0].id)) return [];
    const [chunk, { langgraph_checkpoint_ns, langgraph_node }] = read;
    const message = this.#open.get(chunk.id) ?? {
      blocks: new MessageBlocks(chunk.id),
      namespace: langgraph_checkpoint_ns ? namespaceParts(langgraph_checkpoint_ns) : namespace,
      node: langgraph_node ?? undefined,
    };
    this.#open.set(chunk.id, message);
    return message.blocks.push(chunk).map((event) => ["messages", message.namespace, event, message.node]);
  }

  #ended(isOver: (id: string) => boolean): Made[] {
    const over = [...this.#open].filter(([id]) => isOver(id));
    for (const [id] of over) this.#open.delete(id);
    return over.flatMap(([, { blocks, namespace, node }]) =>
      blocks.end().map((event): Made => ["messages", namespace, event, node]),
    );
  }

  #values(namespace: Namespace, data: unknown, checkpoint: RunEvent["checkpoint"]): Made[] {
    const { __interrupt__, ...values } = isRecord(data) ? data : {};
    // A message is over when a state has it: its words and its calls may come from two nodes.
    for (const { id } of messagesSchema.safeParse(values).data?.messages ?? []) if (id) this.#known.add(id);
    const ended = this.#ended((id) => this.#known.has(id));
    const asked = this.#requests(namespace, __interrupt__);
    if (Object.keys(values).length === 0) return [...ended, ...asked];
    const envelope: Made[] = checkpoint ? [["checkpoints", namespace, checkpoint]] : [];
    return [...ended, ...asked, ...envelope, ["values", namespace, values]];
  }

  #requests(namespace: Namespace, interrupts: unknown): Made[] {
    const read = interruptsSchema.safeParse(interrupts).data ?? [];
    const fresh = read.filter(({ id }) => !this.#asked.has(id));
    for (const { id } of fresh) this.#asked.add(id);
    return fresh.map(({ id, value }) => ["input.requested", namespace, { interrupt_id: id, payload: value }]);
  }

  /** A task is a place below its graph, in which a subgraph may run. */
  #place(namespace: Namespace, data: unknown): Made[] {
    const { id, name, event } = placeOfTaskSchema.parse(data);
    return [["lifecycle", [...namespace, `${name}:${id}`], { event, graph_name: name }]];
  }
}

const endings: Readonly<Partial<Record<Run["status"], string>>> = { success: "completed", interrupted: "interrupted" };

function toolData(data: unknown): object {
  const { event, toolCallId, name, input, output, error, data: delta } = toolSchema.parse(data);
  const call = { tool_call_id: toolCallId ?? "" };
  if (event === "on_tool_start") return { event: "tool-started", ...call, tool_name: name ?? "tool", input };
  if (event === "on_tool_end") return { event: "tool-finished", ...call, output };
  if (event === "on_tool_error") return { event: "tool-error", ...call, message: error?.message ?? "" };
  const text = typeof delta === "string" ? delta : JSON.stringify(delta ?? null);
  return { event: "tool-output-delta", ...call, delta: text };
}
