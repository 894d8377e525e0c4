import { z } from "zod";
import { parsedJson } from "../../base/attempted.js";
import type { RunEvent } from "../engine/run-engine.js";

type Fields = Readonly<Record<string, unknown>>;

const tupleSchema = z.tuple([z.looseObject({ type: z.string().regex(/^ai/i), id: z.string() }), z.looseObject({})]);
const messagesSchema = z.object({ messages: z.array(z.looseObject({ id: z.string().nullish() })) });
const toolSchema = z.looseObject({ event: z.string(), toolCallId: z.string().nullish(), name: z.string().nullish() });

/**
 * The mode `events`: LangChain's events of models and tools, made of the messages, the tools and the values that a run records.
 * Those of chains are left out.
 */
export class ChainEvents {
  /** What the events of a message share, until a state has it. */
  readonly #open = new Map<string, Fields>();
  readonly #inputs = new Map<string, unknown>();

  constructor(private readonly run: string) {}

  /** Returns the events, as JSON, that an event of the run stands for. */
  of({ event, json }: Pick<RunEvent, "event" | "json">): string[] {
    const [mode = ""] = event.split("|");
    const read = { messages: this.#chunk, tools: this.#tool, values: this.#ended }[mode];
    const made = read?.call(this, JSON.parse(json)) ?? [];
    return made.map((one) => JSON.stringify({ tags: [], metadata: {}, parent_ids: [this.run], ...one }));
  }

  #chunk(data: unknown): Fields[] {
    const read = tupleSchema.safeParse(data).data;
    if (read === undefined) return [];
    const [chunk, metadata] = read;
    const known = this.#open.get(chunk.id);
    const shared = known ?? { name: metadata.langgraph_node ?? "model", run_id: chunk.id, metadata };
    this.#open.set(chunk.id, shared);
    const begun = known ? [] : [{ event: "on_chat_model_start", ...shared, data: {} }];
    // Clients read the finish reason of each piece.
    return [
      ...begun,
      { event: "on_chat_model_stream", ...shared, data: { chunk: { response_metadata: {}, ...chunk } } },
    ];
  }

  #tool(data: unknown): Fields[] {
    const { event, toolCallId, name, input, ...result } = toolSchema.parse(data);
    const run_id = toolCallId ?? "";
    if (event === "on_tool_start") this.#inputs.set(run_id, typeof input === "string" ? parsedJson(input) : input);
    return [{ event, name: name ?? "tool", run_id, data: { input: this.#inputs.get(run_id) ?? {}, ...result } }];
  }

  #ended(data: unknown): Fields[] {
    const messages = messagesSchema.safeParse(data).data?.messages ?? [];
    return messages.flatMap((output) => {
      const shared = this.#open.get(output.id ?? "");
      if (shared === undefined) return [];
      this.#open.delete(output.id ?? "");
      return [{ event: "on_chat_model_end", ...shared, data: { output } }];
    });
  }
}
