// Looks into Postgres to see when the runs of a process that works no more go on.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

const LOOK_MS = 20;
const LONGEST_MS = 60_000;

/** The runs of a process, by the id of the process in the row of its presence; without one, all that have begun. */
const heldQuery = `select r.id, r.thread, r.attempt,
    (select max(sequence) from glassloop_checkpoints c where c.thread = r.thread) as sequence
  from glassloop_runs r left join glassloop_guards g on g.thread = r.holder
  where r.status in ('pending', 'running') and r.attempt > 0 and (g.pid = $1 or $1::int is null)`;
const nowQuery = `select r.id, r.attempt, r.status in ('pending', 'running') as active,
    (select max(sequence) from glassloop_checkpoints c where c.thread = r.thread) as sequence
  from glassloop_runs r where r.id = any($1)`;
/** Checkpoints of a run that a process stored after a later process had stored one. */
const lateQuery = `select count(*) as late from (
    select metadata::json ->> 'run_attempt' as attempt, max((metadata::json ->> 'run_attempt')::int) over
      (partition by thread, metadata::json ->> 'run_id' order by sequence rows between unbounded preceding and 1 preceding) as before
    from glassloop_checkpoints where namespace = '') c where before > attempt::int`;

export class Takeovers {
  /** The threads whose runs a fault has hit, and how often. */
  hits = new Map();
  #pool;

  constructor(url) {
    this.#pool = new pg.Pool({ connectionString: url, max: 3 });
    this.#pool.on("error", () => undefined);
  }

  /** Reads the runs that a process has, or those of all processes. */
  async heldBy(pid) {
    return (await this.#pool.query(heldQuery, [pid ?? null])).rows;
  }

  /** Notes that a fault hit these runs: each may have its call in flight made again. */
  note(runs) {
    for (const { thread } of runs) this.hits.set(thread, (this.hits.get(thread) ?? 0) + 1);
  }

  /**
   * Waits until each of these runs has taken its next step, or has ended. Returns the times since a moment, in milliseconds:
   * until each was in the hands of another process, if that was so, and until its step.
   *
   * @param since The moment, by `performance.now()`.
   */
  async goOn(runs, since) {
    const waiting = new Map(runs.map((run) => [run.id, run]));
    const [taken, stepped] = [new Map(), new Map()];
    while (waiting.size > 0) {
      if (performance.now() - since > LONGEST_MS) throw new Error(`These runs do not go on: ${[...waiting.keys()]}`);
      await sleep(LOOK_MS);
      const rows = await this.#pool.query(nowQuery, [[...waiting.keys()]]).catch(() => undefined);
      if (rows === undefined) continue;
      const found = new Map(rows.rows.map((row) => [row.id, row]));
      const now = performance.now() - since;
      for (const [id, before] of waiting) {
        const run = found.get(id);
        if (run?.attempt > before.attempt && !taken.has(id)) taken.set(id, now);
        if (run?.active && Number(run.sequence) <= Number(before.sequence)) continue;
        stepped.set(id, now);
        waiting.delete(id);
      }
    }
    return { taken: [...taken.values()], stepped: [...stepped.values()] };
  }

  /** Counts the checkpoints that a process stored in a run after it had lost it. */
  async lateWrites() {
    return Number((await this.#pool.query(lateQuery)).rows[0].late);
  }

  /** Reads the rows of a thread's runs, and of its checkpoints. */
  async rowsOf(thread) {
    const runs = await this.#pool.query(
      "select number, id, status, attempt, stalled, has_begun, metadata, created_at, updated_at from glassloop_runs where thread = $1 order by number",
      [thread],
    );
    const checkpoints = await this.#pool.query(
      "select sequence, id, metadata from glassloop_checkpoints where thread = $1 and namespace = '' order by sequence",
      [thread],
    );
    return [...runs.rows, ...checkpoints.rows].map((row) => JSON.stringify(row));
  }

  close() {
    return this.#pool.end();
  }
}
