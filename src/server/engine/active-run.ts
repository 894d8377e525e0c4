import { setTimeout as sleep } from "node:timers/promises";
import { isGraphDrained, RunControl } from "@langchain/langgraph";
import { RunError, ThreadsDatabaseError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { errorWithoutSecrets, withoutSecretForms } from "../../base/secrets/without-secrets.js";
import { isGuarded } from "../../langgraph/guarded-graph.js";
import {
  dropStatements,
  endStatements,
  type HeldRun,
  holding,
  type RunFailure,
  type RunRow,
  readLastSeq,
  readRun,
  releaseRun,
  rollBackRun,
  type ThreadCheckpointer,
} from "../../threads/runs/index.js";
import { wireJson } from "../wire/wire-json.js";
import { executeRun } from "./execute-run.js";
import { Recording } from "./recording.js";
import type { RunStatus } from "./run-engine.js";
import { keepsRuns, type ServedGraph } from "./served-graph.js";
import { toRun } from "./stored-run.js";

/** What the runs of an engine share. */
export interface RunPlace {
  /** The name of the engine in the rows of its runs. */
  readonly holder: string;
  readonly checkpointer: ThreadCheckpointer;
  /** The graphs by name, each with its checkpointer. */
  readonly graphs: ReadonlyMap<string, ServedGraph>;
  readonly mostAttempts: number;
  /** The time between two attempts to store how a run ended, in milliseconds. */
  readonly retryMs: number;
  /** A signal that aborts when the engine closes. */
  readonly closing: AbortSignal;
  /** Called each time when events of a run are stored, and when it has ended. */
  stored(run: string): void;
}

/** Why a run stops before its end: a client wants it, the engine closes, or its events cannot be stored. */
type Stop = "interrupt" | "rollback" | "drain" | "unstored";

class StoppedError extends Error {
  constructor(readonly how: Stop) {
    super(`The run was stopped: ${how}.`);
  }
}

/**
 * How a run ended. One that did not end is taken up again: `again` after a drain, `retry` if that counts as a stalled attempt. One
 * that is `undone` leaves nothing.
 */
type Outcome = "again" | "retry" | "undone" | { readonly status: RunStatus; readonly error?: RunFailure };

/** A run that this process executes. How it ends is stored. */
export class ActiveRun {
  readonly recording: Recording;
  /** Resolves when it is stored how the run ended; with undefined if it is taken up again, or undone. Never rejects. */
  readonly ended: Promise<RunStatus | undefined>;
  readonly #held: HeldRun;
  readonly #stopping = new AbortController();
  readonly #control = new RunControl();

  constructor(
    private readonly row: RunRow,
    private readonly place: RunPlace,
    /** Resolves when an earlier attempt of this process has ended. */
    private readonly begins: Promise<unknown> = Promise.resolve(),
  ) {
    const { id, thread, attempt } = row;
    this.#held = { id, thread, attempt, holder: place.holder };
    this.recording = new Recording(place.checkpointer.database, this.#held, {
      stored: () => place.stored(id),
      failed: () => this.stop("unstored"),
    });
    this.ended = this.#executeToEnd();
  }

  /** Stops the run in the middle of its step. */
  stop(how: Stop): void {
    this.#stopping.abort(new StoppedError(how));
  }

  /** Stops the run after the step in hand. */
  drain(): void {
    this.#control.requestDrain("shutdown");
  }

  async #executeToEnd(): Promise<RunStatus | undefined> {
    const outcome = await this.#execute().catch((error: unknown) => this.#outcomeOf(error));
    if (typeof outcome === "object" && outcome.status === "interrupted") await this.#recordLeft();
    if (typeof outcome === "object" && outcome.error) {
      this.recording.add("error", wireJson({ error: outcome.error.name, message: outcome.error.message }));
    }
    // Without its database an engine that closes leaves the run to be taken over.
    while (!(await this.#settle(outcome)) && !this.place.closing.aborted) await sleep(this.place.retryMs);
    return typeof outcome === "object" ? outcome.status : undefined;
  }

  /** Records what an agent left that was stopped: the words that were shown are in its state. */
  async #recordLeft(): Promise<void> {
    const { graph: name, thread } = this.row;
    const graph = this.place.graphs.get(name);
    if (graph === undefined || !isGuarded(graph)) return;
    const left = await graph.getState({ configurable: { thread_id: thread } }).catch(() => undefined);
    if (left !== undefined) this.recording.add("values", wireJson(left.values));
  }

  async #execute(): Promise<Outcome> {
    const { row, recording } = this;
    const { graphs, checkpointer, mostAttempts } = this.place;
    await this.begins;
    recording.continueAfter(row.attempt > 1 ? await readLastSeq(checkpointer.database, row) : 0);
    if (row.cancelled) return cancelledBy(row.cancelled);
    const graph = graphs.get(row.graph);
    if (graph === undefined) return failed(new RunError("unknown-graph", row.id, row.graph));
    if (row.stalled > mostAttempts) return failed(new RunError("too-many-attempts", row.id));
    if (row.attempt > 1 && !keepsRuns(graph)) return failed(new RunError("run-lost", row.id));
    const run = { order: toRun(row), held: this.#held, hasBegun: row.hasBegun, control: this.#control };
    await executeRun({ ...run, graph, checkpointer, recording, signal: this.#stopping.signal });
    return { status: "success" };
  }

  #outcomeOf(error: unknown): Outcome {
    const reason: unknown = this.#stopping.signal.reason;
    const how = reason instanceof StoppedError ? reason.how : undefined;
    if (how === "interrupt" || how === "rollback") return cancelledBy(how);
    if (how === "drain" || isGraphDrained(error)) return "again";
    if (how === "unstored" || error instanceof ThreadsDatabaseError) return "retry";
    // Clients get no stack, without which nobody finds the line.
    console.error(errorWithoutSecrets(error));
    return failed(error);
  }

  /** Stores how the run ended. Returns false if that was not possible. */
  async #settle(outcome: Outcome): Promise<boolean> {
    const { database } = this.place.checkpointer;
    const held = this.#held;
    try {
      if (outcome === "again" || outcome === "retry") await releaseRun(database, held, outcome === "retry");
      else if (outcome === "undone") await this.#undo();
      else await this.recording.end(endStatements(held, outcome.status, outcome.error));
      return true;
    } catch {
      const now = await readRun(database, held.id).catch(() => "unknown" as const);
      if (now === "unknown") return false;
      // Another engine may have the run by now.
      if (now?.holder !== held.holder || now.attempt !== held.attempt) return true;
      // It ended while a client wanted it to be undone.
      return now.cancelled === "rollback" && outcome !== "undone" && this.#settle("undone");
    }
  }

  async #undo(): Promise<void> {
    const { database, guard } = this.place.checkpointer;
    const { thread, id } = this.row;
    const answers = toRun(this.row).given.command !== undefined;
    await holding(guard.take(thread, "enqueue"), ({ owner }) =>
      rollBackRun(database, (statements) => guard.write(thread, owner, statements), { id, thread, answers }),
    );
    await this.recording.end(dropStatements(this.#held));
  }
}

function cancelledBy(action: "interrupt" | "rollback"): Outcome {
  return action === "rollback" ? "undone" : { status: "interrupted" };
}

function failed(error: unknown): Outcome {
  const name = error instanceof Error ? error.name : "Error";
  return { status: "error", error: { name, message: withoutSecretForms(messageOf(error)) } };
}
