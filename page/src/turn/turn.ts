import type { ApprovalDecision, Decided } from "../../../src/core/state/approval.js";
import type { Retrieval } from "../../../src/core/state/retrieval.js";
import type { Citation, CitedSource, Source } from "../../../src/core/state/source.js";
import type { Cost, TurnCheckpoint, UsageCounts, WaitingQuestion } from "../wire.js";

export type { TurnCheckpoint };

/**
 * A turn as the page shows it. The reducer makes it of events: of those that come while the turn runs, and of those that are made
 * of a turn that is kept. So both look alike.
 */
export interface Turn {
  /** The id that its events name; undefined for a turn that is kept. */
  readonly id?: string;
  /** The number of the turn, from 1. */
  readonly number: number;
  /** The question in the person's own words, and as it stands on its own. */
  readonly asked: string;
  readonly question?: string;
  readonly startedAt?: string;
  readonly steps: readonly Step[];
  /** Model calls that are no step, and searches, each with the number of replies before it. */
  readonly quiet: readonly QuietCall[];
  readonly searches: readonly Search[];
  /** The words of the answer so far, or the whole answer. */
  readonly answer?: string;
  /** The words of a reply of which nobody knows yet whether they are a thought or the answer. */
  readonly writing: string;
  readonly output?: unknown;
  readonly stopReason?: string;
  /** Which limit the turn reached, or why the passages do not confirm its answer. */
  readonly why?: string;
  readonly citations: readonly Citation[];
  readonly citedSources: readonly CitedSource[];
  readonly waiting: readonly WaitingQuestion[];
  readonly error?: { readonly name: string; readonly message: string; readonly code?: string; readonly kind?: string };
  readonly usage?: UsageCounts;
  readonly cost?: Cost;
  /** The milliseconds in which the agent worked. */
  readonly workedMs?: number;
  /** What is done now; undefined if the turn is over, or waits. */
  readonly now?: { readonly node: string; readonly since: string };
  /** What is only known of a turn that is kept. */
  readonly kept?: KeptTurn;
}

/** What the thread keeps of a turn beside its events. */
export interface KeptTurn {
  /** The ids of its first checkpoint and of its last one. */
  readonly begin: string;
  readonly end: string;
  /** When the last one was written, and the nodes that run next; none if the turn is over. */
  readonly writtenAt: string;
  readonly next: readonly string[];
  /** False if only the beginnings of texts are there. */
  readonly isWhole: boolean;
  readonly checkpoints: readonly TurnCheckpoint[];
  readonly sources: readonly Source[];
  readonly retrieval?: Retrieval;
}

/** A reply of the model, how it was read, and the calls that followed. */
export interface Step {
  /** The number of the step, from 1. */
  readonly number: number;
  /** The id of its reply, with which the ids of its calls begin. */
  readonly reply?: string;
  readonly asked?: AskedModel;
  readonly text?: string;
  readonly reasoning?: string;
  readonly thought?: string;
  /** How the reply was read; undefined until it was. */
  readonly kind?: "action" | "finish" | "unparseable";
  /** Why it could not be followed. */
  readonly why?: string;
  /** The limit that kept it from being followed. Only a step in a line has it: else the words of `why` tell it. */
  readonly limit?: string;
  readonly calls: readonly Call[];
  /** What was changed on the way: retries, other models, parts that a server refused, prompts that were cut. One sentence each. */
  readonly notes: readonly StepNote[];
}
export interface StepNote {
  readonly type: "retry" | "model-fallback" | "protocol-fallback" | "refusal" | "shortened" | "files-named";
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The asking of a model: its name is empty if only the beginnings of texts are there. `at` is when it was asked; `firstMs` until its first word, `ms` until its end. */
export interface AskedModel {
  readonly model: string;
  readonly at?: string;
  readonly firstMs?: number;
  readonly ms?: number;
  readonly tries?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
}
export interface QuietCall extends AskedModel {
  readonly id?: string;
  readonly purpose: string;
  readonly after: number;
  readonly text?: string;
}
export interface Search {
  readonly retriever: string;
  readonly query: string;
  readonly found: number;
  readonly error?: string;
  readonly notSearched?: string;
  readonly at?: string;
  readonly ms?: number;
  readonly after: number;
}

/** A call of a tool. */
export interface Call {
  readonly id: string;
  readonly tool: string;
  /** The input as the model wrote it: the whole, or the beginning of its text in one line. */
  readonly input: string | Readonly<Record<string, unknown>>;
  readonly by?: "provider";
  /** How it ended; undefined until it did. */
  readonly status?: "success" | "error" | "unknown";
  readonly result?: string;
  readonly note?: string;
  readonly at?: string;
  readonly ms?: number;
  readonly decision?: ApprovalDecision;
  readonly decided?: Decided;
  /** What agents did in the tool. */
  readonly inner: readonly Turn[];
}
