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
import { holding } from "../../threads/guard/lease.js";
import { readEvents, readLastSeq, readTemporary, sweepStatements } from "../../threads/runs/run-events.js";
import {
  cancelRun,
  claimRun,
  deleteRunStatements,
  dropStatements,
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
import { rollBackRun } from "../../threads/upkeep/rollback.js";
import { wireJson } from "../wire/wire-json.js";
import { executeRun } from "./execute-run.js";
import { Recording } from "./recording.js";
import type { Run, RunEngine, RunEvent, RunOrder, RunStatus } from "./run-engine.js";
import { keepsRuns, type ServedGraph } from "./served-graph.js";
import { toRow, toRun } from "./stored-run.js";
import { madeWhole } from "./values-elsewhere.js";

/** The limits of an engine, and its times in milliseconds. */
export interface EngineOptions {
  /** The most runs at once. Default: 100. */
  readonly mostAtOnce?: number;
  /** The most runs of an owner that wait. Default: 1,000. */
  readonly mostQueued?: number;
  /** The most processes that try to run a run. It fails if all of them end. Default: 3. */
  readonly mostAttempts?: number;
  /** The time between two looks at the runs of other engines on the database. Default: 250. */
  readonly pollMs?: number;
  /** The time for which the events of a run are kept after its end. Default: an hour. */
  readonly eventsMs?: number;
  /** The time for which a run without a thread, and what it stored, is kept after its end. Default: a minute. */
  readonly temporaryMs?: number;
}

const usualOptions: Required<EngineOptions> = {
  mostAtOnce: 100,
  mostQueued: 1_000,
  mostAttempts: 3,
  pollMs: 250,
  eventsMs: 3_600_000,
  temporaryMs: 60_000,
};
/** The most looks for what is kept too long: one in this time, in milliseconds. */
const SWEEP_MS = 5_000;

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
  constructor(readonly how: "interrupt" | "rollback" | "drain" | "unstored") {
    super(`The run was stopped: ${how}.`);
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
  /** The runs that are being stored, and that this engine does not execute yet. */
  readonly #arriving = new Set<string>();
  readonly #closing = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #options: Required<EngineOptions>;
  #sweptAt = 0;
  #looking: Promise<void> | undefined;
  #looksAgain = false;

  private constructor(
    private readonly checkpointer: ThreadCheckpointer,
    private readonly graphs: ReadonlyMap<string, ServedGraph>,
    private readonly presence: Lease,
    options: EngineOptions,
  ) {
    this.#database = checkpointer.database;
    this.#guard = checkpointer.guard;
    this.#options = { ...usualOptions, ...options };
    this.#timer = setInterval(() => this.#look(), this.#options.pollMs).unref();
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
      // A run that had to wait may have been claimed meanwhile by a look of this engine, which executes it.
      if (stored.holder !== this.presence.thread) this.#look();
      else if (this.#arriving.has(order.id)) this.#execute(stored);
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
    const hasRoom = this.#active.size + this.#arriving.size <= this.#options.mostAtOnce;
    const admission = { holder: this.presence.thread, hasRoom, mostQueued: this.#options.mostQueued };
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
    while (isActive((await readRun(this.#database, id))?.status)) await sleep(this.#options.pollMs / 5);
    const left = action === "rollback" ? await readRun(this.#database, id) : undefined;
    // It never began: there is nothing else to undo.
    if (left?.status === "interrupted" && !left.hasBegun) await this.#database.batch(deleteRunStatements(left));
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
      const next = recording ? recording.changed(left) : sleep(this.#options.pollMs, undefined, { signal: left });
      await next.catch(() => undefined);
    }
    if (!signal?.aborted) throw new RunError("server-closing", id);
  }

  async #readStored(id: string, after: number): Promise<RunEvent[]> {
    const run = await this.#find(id);
    if (run.isSwept) throw new RunError("run-events-deleted", id);
    const stored = await readEvents(this.#database, run, after);
    const events: RunEvent[] = [];
    for (const event of stored) {
      events.push(await madeWhole(event, (namespace, checkpoint) => this.#readValues(run, namespace, checkpoint)));
    }
    return events;
  }

  async #readValues({ thread }: RunRow, checkpoint_ns: string, checkpoint_id: string) {
    const configurable = { thread_id: thread, checkpoint_ns, checkpoint_id };
    return (await this.checkpointer.getTuple({ configurable }))?.checkpoint.channel_values;
  }

  async close(drainMs: number): Promise<void> {
    this.#closing.abort(new Stopped("drain"));
    clearInterval(this.#timer);
    await this.#looking;
    const active = [...this.#active.values()];
    for (const { control } of active) control.requestDrain("shutdown");
    const waiting = new AbortController();
    const patience = sleep(drainMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([Promise.all(active.map(({ ended }) => ended)), patience]);
    waiting.abort();
    for (const { stop } of active) stop.abort(new Stopped("drain"));
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
    while (this.#active.size < this.#options.mostAtOnce && !this.#closing.signal.aborted) {
      const run = await claimRun(this.#database, this.presence.thread, [...this.graphs.keys()]);
      if (run === undefined) break;
      this.#execute(run);
    }
    await this.#sweep();
  }

  /** Deletes what is kept too long: events, and runs without a thread. */
  async #sweep(): Promise<void> {
    const now = Date.now();
    const { eventsMs, temporaryMs } = this.#options;
    if (Math.abs(now - this.#sweptAt) < Math.min(SWEEP_MS, eventsMs, temporaryMs)) return;
    this.#sweptAt = now;
    await this.#database.batch(sweepStatements(new Date(now - eventsMs).toISOString()), { synced: false });
    for (const thread of await readTemporary(this.#database, new Date(now - temporaryMs).toISOString())) {
      await this.checkpointer.deleteThread(thread);
    }
  }

  /** Stops the runs that were cancelled. Returns those that this engine has, as far as its database knows. */
  async #stopCancelled(): Promise<HeldRun[]> {
    const held = await readHeld(this.#database, this.presence.thread);
    for (const { id, cancelled } of held) if (cancelled) this.#active.get(id)?.stop.abort(new Stopped(cancelled));
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
    this.#arriving.delete(id);
  }

  /** Executes a run, and stores how it ended. Never throws. */
  async #executeToEnd(row: RunRow, active: Omit<Active, "ended">): Promise<void> {
    const outcome = await this.#run(row, active).catch((error: unknown) => this.#outcomeOf(error, active));
    if (typeof outcome === "object" && outcome.error) {
      active.recording.add("error", wireJson({ error: outcome.error.name, message: outcome.error.message }));
    }
    // Without its database a server that closes leaves the run to be taken over.
    while (!(await this.#settle(active, outcome, row)) && !this.#closing.signal.aborted)
      await sleep(this.#options.pollMs);
  }

  async #run(row: RunRow, { recording, stop, control }: Omit<Active, "ended">): Promise<Outcome> {
    if (row.cancelled) return cancelledBy(row.cancelled);
    const graph = this.graphs.get(row.graph);
    if (graph === undefined) return failed(new RunError("unknown-graph", row.id, row.graph));
    if (row.attempt > 1) recording.continueAfter(await readLastSeq(this.#database, row));
    if (row.attempt > this.#options.mostAttempts) return failed(new RunError("too-many-attempts", row.id));
    if (row.attempt > 1 && !keepsRuns(graph)) return failed(new RunError("run-lost", row.id));
    const run = { order: toRun(row), attempt: row.attempt, hasBegun: row.hasBegun };
    await executeRun({ ...run, graph, checkpointer: this.checkpointer, recording, signal: stop.signal, control });
    return { status: "success" };
  }

  #outcomeOf(error: unknown, { stop }: Omit<Active, "ended">): Outcome {
    const reason: unknown = stop.signal.reason;
    const how = reason instanceof Stopped ? reason.how : undefined;
    if (how === "interrupt" || how === "rollback") return cancelledBy(how);
    if (how === "drain" || isGraphDrained(error)) return "again";
    return how === "unstored" || error instanceof ThreadsDatabaseError ? "retry" : failed(error);
  }

  /** Stores how a run ended. Returns false if that was not possible. */
  async #settle({ held, recording }: Omit<Active, "ended">, outcome: Outcome, row: RunRow): Promise<boolean> {
    try {
      if (outcome === "again" || outcome === "retry") await releaseRun(this.#database, held, outcome === "retry");
      else if (outcome === "undone") await this.#undo(held, recording, row);
      else {
        await recording.end([endStatement(held, outcome.status, outcome.error)]);
      }
      return true;
    } catch {
      // Another engine may have the run by now.
      const now = await readRun(this.#database, held.id).catch(() => "unknown" as const);
      return now !== "unknown" && (now?.holder !== held.holder || now.attempt !== held.attempt);
    }
  }

  async #undo(held: HeldRun, recording: Recording, row: RunRow): Promise<void> {
    const { thread, id } = held;
    const answers = toRun(row).given.command !== undefined;
    await holding(this.#guard.take(thread, "enqueue"), ({ owner }) =>
      rollBackRun(this.#database, (statements) => this.#guard.write(thread, owner, statements), {
        id,
        thread,
        answers,
      }),
    );
    await recording.end(dropStatements(held));
  }
}

/**
 * How a run ended. One that did not end is taken up again: `again` after a drain, `retry` if that counts as an attempt. One
 * that is `undone` leaves nothing.
 */
type Outcome = "again" | "retry" | "undone" | { readonly status: RunStatus; readonly error?: RunFailure };

function cancelledBy(action: "interrupt" | "rollback"): Outcome {
  return action === "rollback" ? "undone" : { status: "interrupted" };
}

function failed(error: unknown): Outcome {
  const name = error instanceof Error ? error.name : "Error";
  return { status: "error", error: { name, message: withoutSecretForms(messageOf(error)) } };
}

function isActive(status: string | undefined): boolean {
  return status === "pending" || status === "running";
}
