/**
 * What the server sends, by the server's own types. Only types are taken from there: none of its code is in the page.
 * Instead of a value that JSON does not have, a field is left out.
 */
import type { AgentDescription } from "../../src/agent/known-agents.js";
import type { CallPrompt } from "../../src/agent/prompts/prompt-of.js";
import type { EventOf, PersonAsked, TurnEvent } from "../../src/core/run/events.js";
import type { UsageCounts } from "../../src/core/state/usage.js";
import type { Cost } from "../../src/model/prices.js";
import type { ThreadSummary } from "../../src/threads/checkpoints/thread-row.js";
import type { CheckpointDifference } from "../../src/threads/lookup/difference.js";
import type { InnerRun } from "../../src/threads/lookup/inner-runs.js";
import type { TurnCheckpoint, WaitingQuestion, WaitingRequest, WholeTurn } from "../../src/threads/lookup/one-turn.js";
import type { BegunStep, ThreadTurn, TurnBranch, TurnStep } from "../../src/threads/lookup/turns.js";

export type {
  BegunStep,
  Cost,
  EventOf,
  PersonAsked,
  TurnBranch,
  TurnCheckpoint,
  TurnEvent,
  TurnStep,
  UsageCounts,
  WaitingQuestion,
  WaitingRequest,
};

/** A place that was left out of an answer, as it was too long. `link` has the rest, relative to the address of the answer. */
export interface Cut {
  readonly path: readonly (string | number)[];
  readonly length: number;
  readonly link?: string;
}
interface MayBeCut {
  readonly cut?: readonly Cut[];
}

/** `GET /glassloop/about` */
export interface About extends MayBeCut {
  readonly version: string;
  readonly caller: { readonly owner?: string; readonly by?: string; readonly may: readonly Right[] };
  readonly clientSettings: "all" | readonly string[];
  readonly agents: readonly ServedAgent[];
  readonly next: number | null;
}
export type Right = "read" | "ask" | "decide" | "write";
export type ServedAgent = {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
} & Partial<AgentDescription>;

/** `GET /glassloop/threads` */
export interface ListedThread extends Omit<ThreadSummary, "interrupts" | "usage">, MayBeCut {
  readonly waiting?: readonly PersonAsked[];
  readonly usage?: UsageCounts;
  readonly cost?: Cost;
  readonly metadata: Readonly<Record<string, unknown>>;
}
export interface ThreadList {
  readonly threads: readonly ListedThread[];
  readonly next: string | null;
}

export type StopReason = EventOf<"answer">["stopReason"];
type Stopped<Turn> = Omit<Turn, "stopReason"> & { readonly stopReason?: StopReason };

/** `GET /glassloop/threads/:id/turns`: turns with each step in a line. */
export interface ListedTurn extends Stopped<ThreadTurn>, MayBeCut {
  readonly cost?: Cost;
}
export interface TurnList {
  readonly turns: readonly ListedTurn[];
  readonly branches: readonly TurnBranch[];
  readonly next: string | null;
}

/** `GET /glassloop/threads/:id/turns/:number`: a page of the steps of a turn. `next` is the `from` of the next page. */
export interface TurnPart extends Omit<Stopped<WholeTurn>, "next" | "steps">, MayBeCut {
  readonly steps: readonly WholeStep[];
  readonly cost?: Cost;
  readonly count: number;
  readonly next: number | null;
}

/** A step of it as the thread keeps it: `?part=["steps",0]`. */
export interface StepPart extends MayBeCut {
  readonly part: WholeTurn["steps"][number];
}

export interface WholeStep extends BegunStep, MayBeCut {
  readonly inner?: readonly InnerTurn[];
}
/** What an agent did in a tool. The namespace of one in the tool of another begins with that of the other. */
export interface InnerTurn extends Stopped<InnerRun> {}

/** `GET …/prompt?call=` and `GET …/difference?checkpoint=` */
export type Prompt = Omit<CallPrompt, "messages"> &
  MayBeCut & { readonly messages: readonly SentMessage[]; readonly count: number; readonly next: number | null };
/** A message as LangChain writes it in JSON. */
export interface SentMessage extends MayBeCut {
  readonly type: string;
  readonly content: unknown;
  readonly name?: string;
  readonly tool_calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
}
export type Difference = Omit<CheckpointDifference, "changes"> &
  MayBeCut & {
    readonly changes: readonly (CheckpointDifference["changes"][number] & MayBeCut)[];
    readonly count: number;
    readonly next: number | null;
  };

/** `GET /assistants/:graph/graph?xray=true` */
export interface GraphOfServer {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly {
    readonly source: string;
    readonly target: string;
    readonly data?: string;
    readonly conditional: boolean;
  }[];
}
