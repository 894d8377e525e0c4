import {
  forgetChanges,
  forgetRuns,
  readNow,
  readTemporary,
  sweepStatements,
  type ThreadCheckpointer,
} from "../../threads/runs/index.js";

/** For how long what a run leaves is kept after its end, in milliseconds. */
export interface RetentionTimes {
  /** Its events. */
  readonly eventsMs: number;
  /** Its row. */
  readonly runsMs: number;
  /** The thread of a run that came without one, with all that it stored. */
  readonly temporaryMs: number;
}

/** The most looks for what is kept too long: one in this time, in milliseconds. */
const SWEEP_MS = 5_000;

/** Deletes what ended runs leave. */
export class Retention {
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly checkpointer: ThreadCheckpointer,
    private readonly times: RetentionTimes,
  ) {}

  /** Deletes what is kept too long, unless it was looked for a moment ago. */
  async sweep(): Promise<void> {
    const { eventsMs, runsMs, temporaryMs } = this.times;
    if (performance.now() - this.#sweptAt < Math.min(SWEEP_MS, eventsMs, runsMs, temporaryMs)) return;
    this.#sweptAt = performance.now();
    const { database } = this.checkpointer;
    const now = await readNow(database);
    const sweep = sweepStatements(new Date(now - Math.min(eventsMs, runsMs)).toISOString());
    await database.batch([...sweep, forgetChanges], { synced: false });
    if (runsMs < Number.POSITIVE_INFINITY) await forgetRuns(database, new Date(now - runsMs).toISOString());
    for (const thread of await readTemporary(database, new Date(now - temporaryMs).toISOString())) {
      await this.checkpointer.deleteThread(thread);
    }
  }
}
