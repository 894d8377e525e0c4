import type { PendingWrite } from "@langchain/langgraph-checkpoint";
import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type { ActionJournal, Outcome } from "../../turn/action-journal.js";
import { actionResultSchema } from "../../turn/decision.js";
import { type Database, optionalTextOf, type Statement, textOf } from "../databases/database.js";
import type { ThreadWriter } from "./thread-writer.js";

/** A task of LangGraph's: one run of a node, the same when it runs again after a crash, another one on a fork. */
export interface TaskKey {
  readonly thread: string;
  readonly task: string;
}

const outcomeSchema = actionResultSchema.omit({ action: true });

/**
 * What is on record of actions whose node has not finished. A row is written before an action with effects starts and
 * gets its outcome afterwards; once the node's own writes are stored, they hold the outcomes, and the rows go.
 */
export class Journal {
  /** The tasks that may have rows. */
  readonly #tasks = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly writer: ThreadWriter,
  ) {}

  /** Opens the record of a task, with what was noted when it ran before. */
  async open(key: TaskKey): Promise<ActionJournal> {
    const rows = await this.database.all(
      "select action, outcome from glassloop_journal where thread = $1 and task = $2",
      [key.thread, key.task],
    );
    this.#tasks.add(nameOf(key));
    const known = new Map(
      rows.map((row) => [textOf(row, "action"), toOutcome(optionalTextOf(row, "outcome"))] as const),
    );
    const write = (statement: Statement) => this.writer.write(key.thread, { statements: [statement] });
    return {
      recall: (action) => known.get(action),
      begin: (action) => write(beginStatement(key, action)),
      finish: (action, outcome) => write(finishStatement(key, action, outcome)),
      undo: (action) => write(undoStatement(key, action)),
    };
  }

  /** What deletes the rows of a task whose writes are stored. A task that stopped for an error or a question keeps them. */
  doneStatements(key: TaskKey, writes: readonly PendingWrite[]): Statement[] {
    if (writes.some(([channel]) => channel in WRITES_IDX_MAP) || !this.#tasks.delete(nameOf(key))) return [];
    return [
      { sql: "delete from glassloop_journal where thread = $1 and task = $2", parameters: [key.thread, key.task] },
    ];
  }
}

function nameOf({ thread, task }: TaskKey): string {
  return `${task} ${thread}`;
}

function toOutcome(text: string | undefined): Outcome | "begun" {
  return text === undefined ? "begun" : outcomeSchema.parse(JSON.parse(text));
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
    parameters: [thread, task, action, JSON.stringify(outcome)],
  };
}

function undoStatement({ thread, task }: TaskKey, action: string): Statement {
  return {
    sql: "delete from glassloop_journal where thread = $1 and task = $2 and action = $3 and outcome is null",
    parameters: [thread, task, action],
  };
}
