import type { ActionJournal } from "../../core/run/action-journal.js";
import { type Outcome, outcomeSchema } from "../../core/state/decision.js";
import { type Database, optionalTextOf, type Statement, textOf } from "../databases/database.js";
import { fromJson } from "../values/from-json.js";
import { toJson } from "../values/to-json.js";
import type { JoinedWrites } from "./joined-writes.js";

/**
 * The key of a task, which is LangGraph's word for one run of a node. A task that runs again after a crash has the same
 * key. On a fork it has another one.
 */
export interface TaskKey {
  readonly thread: string;
  readonly task: string;
}

/**
 * The records of actions whose node has not finished. An action with effects gets a row before it starts, and its
 * outcome is added afterwards. The next checkpoint of the thread holds the outcomes. The rows are deleted with it.
 */
export class Journal {
  constructor(
    private readonly database: Database,
    private readonly writer: JoinedWrites,
  ) {}

  /**
   * Opens the journal of a task, with the records of an earlier run of it.
   *
   * @param owner The run of the task; undefined if it has no lease on the thread.
   */
  async open(key: TaskKey, owner: string | undefined): Promise<ActionJournal> {
    const rows = await this.database.all(
      "select action, outcome from glassloop_journal where thread = $1 and task = $2",
      [key.thread, key.task],
    );
    const known = new Map(
      rows.map((row) => [textOf(row, "action"), readOutcome(optionalTextOf(row, "outcome"))] as const),
    );
    const writing = { thread: key.thread, owner };
    const write = (statement: Statement, synced = true) =>
      this.writer.store(writing, { statements: [statement], synced });
    return {
      recall: (action) => known.get(action),
      begin: (action) => write(beginStatement(key, action)),
      // If a loss of power undoes it, the outcome counts as unknown.
      finish: (action, outcome) => write(finishStatement(key, action, outcome), false),
      undo: (action) => write(undoStatement(key, action)),
    };
  }

  /**
   * Returns the statement that deletes the rows of a thread when a new checkpoint of its main graph is stored. No task
   * of the checkpoint before runs again then. A checkpoint that is only written anew leaves them.
   */
  doneStatement(thread: string, checkpoint: string): Statement {
    return { sql: done, parameters: [thread, checkpoint] };
  }
}

// The checkpoints are looked at for each row that is found. Postgres would read those of the whole thread beforehand.
const done = `delete from glassloop_journal where thread = $1 and not exists (
  select 1 from glassloop_checkpoints where thread = glassloop_journal.thread and namespace = '' and id = $2)`;

/** Reads the outcome in a record; `begun` if there is none. @throws SyntaxError, ZodError */
function readOutcome(text: string | undefined): Outcome | "begun" {
  return text === undefined ? "begun" : outcomeSchema.parse(fromJson(text));
}

function beginStatement({ thread, task }: TaskKey, action: string): Statement {
  return {
    sql: "insert into glassloop_journal (thread, task, action, outcome) values ($1, $2, $3, null)",
    parameters: [thread, task, action],
  };
}

function finishStatement({ thread, task }: TaskKey, action: string, outcome: Outcome): Statement {
  return {
    sql: `insert into glassloop_journal (thread, task, action, outcome) values ($1, $2, $3, $4)
      on conflict (thread, task, action) do update set outcome = excluded.outcome`,
    parameters: [thread, task, action, toJson(outcome)],
  };
}

function undoStatement({ thread, task }: TaskKey, action: string): Statement {
  return {
    sql: "delete from glassloop_journal where thread = $1 and task = $2 and action = $3 and outcome is null",
    parameters: [thread, task, action],
  };
}
