import type { BaseMessage } from "@langchain/core/messages";
import type { ToolInput } from "../../tool-inputs/tool-input.js";
import type { Reply } from "../state/decision.js";
import type { AgentStateUpdate } from "../state/state.js";
import type { Tokens, Usage } from "../state/usage.js";
import type { EventDetails } from "./events.js";

/** A piece of work in a run: a node, a call of a model with all its tries, a call of a tool. */
export type Work = (
  | { readonly kind: "node"; readonly name: string }
  | { readonly kind: "model"; readonly name: string; readonly provider: string; readonly purpose: string }
  | { readonly kind: "tool"; readonly name: string; readonly id: string; readonly input: ToolInput }
) & { readonly found: Findings };

/** What becomes known of work while it is done. */
export interface Findings {
  /** The update of a node. */
  update?: AgentStateUpdate;
  /** The prompt of a model call. */
  messages?: readonly BaseMessage[];
  reply?: Pick<Reply, "text" | "toolCalls" | "finishReason">;
  /** What was said beside the words of the reply. */
  beside?: string;
  /** The tokens of a model call with all its tries. */
  tokens?: Partial<Tokens>;
  /** What a tool gave. */
  observation?: string;
}

/** Stands around work: it begins the work with `next`, and returns what comes of it. */
export type WrapWork = <Result>(work: Work, next: (work: Work) => Promise<Result>) => Promise<Result>;

/** A run that begins. */
export interface RunStart {
  /** The name of the graph. */
  readonly name: string;
  readonly thread: unknown;
  /** The turn in the run. Its outcome is known when the run has ended. */
  readonly turn: { readonly outcome: TurnOutcome };
}

/** What is known of a turn at the end of a run: its id, the reason for its end, its usage. */
export interface TurnOutcome {
  readonly turn?: string | undefined;
  readonly stopReason?: EventDetails<"turn-end">["stopReason"] | undefined;
  readonly usage?: Usage | undefined;
}
