import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isGraphDrained, RunControl } from "@langchain/langgraph";
import { RunError, ThreadError, ThreadInUseError, ThreadsDatabaseError } from "../../base/errors.js";
import { messageOf } from "../../base/message-of.js";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import type { Lease } from "../../core/run/keeper.js";
import type { ThreadCheckpointer } from "../../threads/checkpoints/checkpointer.js";
import type { Database } from "../../threads/databases/database.js";
import type { ThreadGuard } from "../../threads/guard/guard.js";
import { readEvents, readLastSeq } from "../../threads/runs/run-events.js";
import {
  cancelRun,
  claimRun,
  deleteRunStatements,
  endStatement,
  enqueueStatements,
  type HeldRun,
  type RunFailure,
  type RunRow,
  readHeld,
  readHolders,
  readRun,
  readRuns,
  refusalOf,
  releaseRun,
  releaseRunsOf,
} from "../../threads/runs/run-rows.js";
import { wireJson } from "../wire/wire-json.js";
import { executeRun } from "./execute-run.js";
import { Recording } from "./recording.js";
import type { Run, RunEngine, RunEvent, RunOrder, RunStatus } from "./run-engine.js";
import { keepsRuns, type ServedGraph } from "./served-graph.js";
import { toRow, toRun } from "./stored-run.js";

/** The limits of an engine, and its times in milliseconds. */
export interface EngineOptions {
  /** The most runs at once. Default: 100. */
  readonly mostAtOnce?: number;
  /** The most runs of an owner that wait. Default: 1,000. */
  readonly mostQueued?: number;
  /** The time between two looks at the runs of other engines on the database. Default: 250. */
  readonly pollMs?: number;
}

const MOST_ATTEMPTS = 3;

/** A run that this engine executes. */
interface Active {
  readonly held: HeldRun;
  readonly recording: Recording;
  readonly stop: AbortController;
  readonly control: RunControl;
  readonly ended: Promise<void>;
}

/** Why a run stopped before its end. */
class Stopped extends Error {
  constructor(readonly how: "cancelled" | "drained" | "lost" | "unstored") {
    super(`The run was ${how}.`);
  }
}

/**
 * An engine that runs runs in this process, on the database of the threads. Several engines may work on one database: each
 * run is executed by one of them, and those of an engine that is gone are taken over.
 */
export class ProcessEngine implements RunEngine {
  readonly #database: Database;
  readonly #guard: ThreadGuard;
  readonly #active = new Map<string, Active>();
  /** The runs that are being stored, and may begin at once. */
  readonly #arriving = new Set<string>();
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #pollMs: number;
  readonly #mostAtOnce: number;
  readonly #mostQueued: number;
  #looking: Promise<void> | undefined;
  #looksAgain = false;

  private constructor(
    checkpointer: ThreadCheckpointer,
    private readonly graphs: ReadonlyMap<string, ServedGraph>,
    private readonly presence: Lease,
    { mostAtOnce = 100, mostQueued = 1_000, pollMs = 250 }: EngineOptions,
  ) {
    this.#database = checkpointer.database;
    this.#guard = checkpointer.guard;
    this.#pollMs = pollMs;
    this.#mostAtOnce = mostAtOnce;
    this.#mostQueued = mostQueued;
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
    this.#look();
  }

  /**
   * Starts an engine. It goes on with the runs that an engine left which is gone.
   *
   * @param graphs The graphs by name, each with its checkpointer.
   */
  static async start(
    checkpointer: ThreadCheckpointer,
    graphs: ReadonlyMap<string, ServedGraph>,
    options: EngineOptions = {},
  ): Promise<ProcessEngine> {
    const presence = await checkpointer.guard.take(`server:${randomUUID()}`);
    return new ProcessEngine(checkpointer, graphs, presence, options);
  }

  async enqueue(order: RunOrder): Promise<Run> {
    if (this.#closing.signal.aborted) throw new RunError("server-closing", order.id);
    if (!this.graphs.has(order.graph)) throw new RunError("unknown-graph", order.id, order.graph);
    await this.#refuseIfBusy(order);
    this.#arriving.add(order.id);
    try {
      const stored = await this.#store(order);
      if (stored.holder === this.presence.thread) this.#execute(stored);
      else this.#look();
      return toRun(stored);
    } finally {
      this.#arriving.delete(order.id);
    }
  }

  /** A run of another program, such as the command line, is no row of a server. */
  async #refuseIfBusy({ strategy, thread }: RunOrder): Promise<void> {
    if (strategy !== "reject" || !(await this.#guard.isRunning(thread))) return;
    throw new ThreadInUseError(thread, hostname(), process.pid);
  }

  async #store(order: RunOrder): Promise<RunRow> {
    const hasRoom = this.#active.size + this.#arriving.size <= this.#mostAtOnce;
    const admission = { holder: this.presence.thread, hasRoom, mostQueued: this.#mostQueued };
    const statements = enqueueStatements(toRow(order), admission);
    await this.#database.batch(statements).catch(async (error: unknown) => {
      throw (await readRun(this.#database, order.id)) === undefined ? error : new RunError("run-exists", order.id);
    });
    const stored = await readRun(this.#database, order.id);
    if (stored === undefined) throw await this.#refusal(order);
    return stored;
  }

  async #refusal(order: RunOrder): Promise<Error> {
    const why = await refusalOf(this.#database, toRow(order));
    if (why === "other-owner") return new ThreadError("thread-not-found", order.thread);
    if (why === "in-use") return new ThreadInUseError(order.thread, hostname(), process.pid);
    return new RunError("too-many-runs", order.id);
  }

  async cancel(id: string, action: "interrupt" | "rollback"): Promise<void> {
    await this.#find(id);
    await cancelRun(this.#database, id, action);
    await this.#stopCancelled();
    await this.#active.get(id)?.ended;
    while (isActive((await readRun(this.#database, id))?.status)) await sleep(this.#pollMs / 5);
    this.#look();
  }

  async get(id: string): Promise<Run | undefined> {
    const row = await readRun(this.#database, id);
    return row && toRun(row);
  }

  async list(
    thread: string,
    options: { readonly limit: number; readonly offset: number; readonly status?: RunStatus },
  ): Promise<Run[]> {
    return (await readRuns(this.#database, thread, options)).map(toRun);
  }

  async delete(id: string): Promise<void> {
    const run = await this.#find(id);
    if (isActive(run.status)) throw new RunError("run-active", id);
    await this.#database.batch(deleteRunStatements(run));
  }

  async #find(id: string): Promise<RunRow> {
    const run = await readRun(this.#database, id);
    if (run === undefined) throw new RunError("run-not-found", id);
    return run;
  }

  async *stream(id: string, afterSeq: number, signal?: AbortSignal): AsyncGenerator<RunEvent> {
    const left = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]);
    let seq = afterSeq;
    for (;;) {
      const recording = this.#active.get(id)?.recording;
      const hasEnded = recording ? recording.hasEnded : !isActive((await this.#find(id)).status);
      const events = recording?.after(seq) ?? (await this.#readStored(id, seq));
      for (const event of events) {
        yield event;
        seq = event.seq;
      }
      if (events.length > 0) continue;
      if (hasEnded) return;
      if (left.aborted) break;
      const next = recording ? recording.changed(left) : sleep(this.#pollMs, undefined, { signal: left });
      await next.catch(() => undefined);
    }
    if (!signal?.aborted) throw new RunError("server-closing", id);
  }

  async #readStored(id: string, after: number): Promise<RunEvent[]> {
    const stored = await readEvents(this.#database, await this.#find(id), after);
    return stored.map(({ seq, event, data }) => ({ seq, event, json: JSON.stringify(data) }));
  }

  async close(drainMs: number): Promise<void> {
    this.#closing.abort(new Stopped("drained"));
    clearInterval(this.#timer);
    await this.#looking;
    const active = [...this.#active.values()];
    for (const { control } of active) control.requestDrain("shutdown");
    const waiting = new AbortController();
    const patience = sleep(drainMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([Promise.all(active.map(({ ended }) => ended)), patience]);
    waiting.abort();
    for (const { stop } of active) stop.abort(new Stopped("drained"));
    await Promise.all(active.map(({ ended }) => ended));
    await this.presence.release();
  }

  /** Looks for runs to stop, to take over and to execute. A look that is asked for meanwhile follows. */
  #look(): void {
    if (this.#closing.signal.aborted) return;
    this.#looksAgain = this.#looking !== undefined;
    this.#looking ??= this.#lookOnce()
      // A database that cannot be reached is asked again at the next look.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
        if (this.#looksAgain) this.#look();
      });
  }

  async #lookOnce(): Promise<void> {
    await this.#giveBackLost();
    for (const holder of await readHolders(this.#database, this.presence.thread)) {
      if (!(await this.#guard.isRunning(holder))) await releaseRunsOf(this.#database, holder);
    }
    while (this.#active.size < this.#mostAtOnce && !this.#closing.signal.aborted) {
      const run = await claimRun(this.#database, this.presence.thread, [...this.graphs.keys()]);
      if (run === undefined) return;
      this.#execute(run);
    }
  }

  /** Stops the runs that were cancelled. Returns those that this engine has, as far as its database knows. */
  async #stopCancelled(): Promise<HeldRun[]> {
    const held = await readHeld(this.#database, this.presence.thread);
    for (const { id, isCancelled } of held) {
      if (isCancelled) this.#active.get(id)?.stop.abort(new Stopped("cancelled"));
    }
    return held;
  }

  /** Gives back what was taken without a word of it, as a broken connection can do. */
  async #giveBackLost(): Promise<void> {
    const before = new Set([...this.#active.keys(), ...this.#arriving]);
    for (const run of await this.#stopCancelled()) {
      const isKnown = before.has(run.id) || this.#active.has(run.id) || this.#arriving.has(run.id);
      if (!isKnown) await releaseRun(this.#database, run, false);
    }
  }

  #execute(row: RunRow): void {
    const { id, thread, attempt } = row;
    const held = { id, thread, attempt, holder: this.presence.thread };
    const stop = new AbortController();
    const control = new RunControl();
    const recording = new Recording(this.#database, held, () => stop.abort(new Stopped("unstored")));
    const active = { held, recording, stop, control };
    const ended = this.#executeToEnd(row, active).finally(() => {
      this.#active.delete(id);
      recording.close();
      this.#look();
    });
    this.#active.set(id, { ...active, ended });
  }

  /** Executes a run, and stores how it ended. Never throws. */
  async #executeToEnd(row: RunRow, active: Omit<Active, "ended">): Promise<void> {
    const outcome = await this.#run(row, active).catch((error: unknown) => this.#outcomeOf(error, active));
    // Without its database a server that closes leaves the run to be taken over.
    while (!(await this.#settle(active, outcome)) && !this.#closing.signal.aborted) await sleep(this.#pollMs);
  }

  async #run(row: RunRow, { recording, stop, control }: Omit<Active, "ended">): Promise<Outcome> {
    if (row.cancelled) return { status: "interrupted" };
    const graph = this.graphs.get(row.graph);
    if (graph === undefined) return failed(new RunError("unknown-graph", row.id, row.graph));
    if (row.attempt > 1) recording.continueAfter(await readLastSeq(this.#database, row));
    if (row.attempt > MOST_ATTEMPTS) return failed(new RunError("too-many-attempts", row.id));
    if (row.hasBegun && !keepsRuns(graph)) return failed(new RunError("run-lost", row.id));
    const run = { order: toRun(row), attempt: row.attempt, hasBegun: row.hasBegun };
    await executeRun({ ...run, graph, guard: this.#guard, recording, signal: stop.signal, control });
    return { status: "success" };
  }

  #outcomeOf(error: unknown, { stop }: Omit<Active, "ended">): Outcome {
    const reason: unknown = stop.signal.reason;
    if (reason instanceof Stopped && reason.how === "cancelled") return { status: "interrupted" };
    if (isGraphDrained(error) || (reason instanceof Stopped && reason.how === "drained")) return "again";
    if (reason instanceof Stopped || error instanceof ThreadsDatabaseError) return "retry";
    return failed(error);
  }

  /** Stores how a run ended. Returns false if that was not possible. */
  async #settle({ held, recording }: Omit<Active, "ended">, outcome: Outcome): Promise<boolean> {
    try {
      if (outcome === "again" || outcome === "retry") await releaseRun(this.#database, held, outcome === "retry");
      else {
        if (outcome.error)
          recording.add("error", wireJson({ error: outcome.error.name, message: outcome.error.message }));
        await recording.end([endStatement(held, outcome.status, outcome.error)]);
      }
      return true;
    } catch {
      // Another engine may have the run by now.
      const now = await readRun(this.#database, held.id).catch(() => undefined);
      return now !== undefined && (now.holder !== held.holder || now.attempt !== held.attempt);
    }
  }
}

/** How a run ended. One that did not end is taken up again: `again` after a drain, `retry` if that counts as an attempt. */
type Outcome = "again" | "retry" | { readonly status: RunStatus; readonly error?: RunFailure };

function failed(error: unknown): Outcome {
  const name = error instanceof Error ? error.name : "Error";
  return { status: "error", error: { name, message: withoutSecretForms(messageOf(error)) } };
}

function isActive(status: string | undefined): boolean {
  return status === "pending" || status === "running";
}
