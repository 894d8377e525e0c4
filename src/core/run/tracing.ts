import type { BaseMessage } from "@langchain/core/messages";
import type { Reply, ToolInput } from "../state/decision.js";
import type { AgentStateUpdate } from "../state/state.js";
import type { Tokens, Usage } from "../state/usage.js";
import type { EventDetails } from "./events.js";

/** Work that may have a span. */
export type TracedWork =
  | { readonly kind: "node"; readonly name: string }
  | { readonly kind: "model"; readonly name: string; readonly provider: string; readonly purpose: string }
  | { readonly kind: "tool"; readonly name: string; readonly id: string; readonly input: ToolInput };

/** What becomes known of work while it is done. */
export interface Finding {
  /** The update of a node. */
  readonly update?: AgentStateUpdate;
  /** The prompt of a model call. */
  readonly messages?: readonly BaseMessage[];
  readonly reply?: Pick<Reply, "text" | "toolCalls" | "finishReason">;
  /** The reasoning before the reply. */
  readonly reasoning?: string;
  /** The tokens of a model call with all its tries. */
  readonly tokens?: Partial<Tokens>;
  /** What a tool gave. */
  readonly observation?: string;
}
export type Note = (finding: Finding) => void;

/** What is known of a turn at the end of a run: its id, the reason for its end, its usage. */
export interface TurnOutcome {
  readonly turn?: string | undefined;
  readonly stopReason?: EventDetails<"turn-end">["stopReason"] | undefined;
  readonly usage?: Usage | undefined;
}

/** Makes the spans of an agent. */
export interface Tracing {
  /** Puts the stream of a run into a span. `outcome` is called at its end. */
  run<Value>(
    agent: { readonly name: string; readonly thread: unknown },
    stream: AsyncGenerator<Value>,
    outcome: () => TurnOutcome,
  ): Promise<AsyncGenerator<Value>>;
  /** Does work in a span. Spans of what the work calls are children of that span. */
  span<Result>(work: TracedWork, run: (note: Note) => Promise<Result>): Promise<Result>;
}

/** Makes no spans. */
export const noTracing: Tracing = {
  run: async (_, stream) => stream,
  span: (_, run) => run(() => undefined),
};
