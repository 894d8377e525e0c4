import type { PendingWrite } from "@langchain/langgraph-checkpoint";
import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type { ActionJournal, Outcome } from "../../turn/action-journal.js";
import { actionResultSchema } from "../../turn/decision.js";
import { type Database, optionalTextOf, type Statement, textOf } from "../databases/database.js";
import type { ThreadWriter } from "./thread-writer.js";

/**
 * The key of a task, which is LangGraph's word for one run of a node. A task that runs again after a crash has the same
 * key. On a fork it has another one.
 */
export interface TaskKey {
  readonly thread: string;
  readonly task: string;
}

const outcomeSchema = actionResultSchema.omit({ action: true });

/**
 * The records of actions whose node has not finished. An action with effects gets a row before it starts, and its
 * outcome is added afterwards. The node's own writes hold the outcomes once they are stored. The rows are deleted then.
 */
export class Journal {
  /** The tasks that may have rows. */
  readonly #tasks = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly writer: ThreadWriter,
  ) {}

  /** Opens the journal of a task, with the records of an earlier run of it. */
  async open(key: TaskKey): Promise<ActionJournal> {
    const rows = await this.database.all(
      "select action, outcome from glassloop_journal where thread = $1 and task = $2",
      [key.thread, key.task],
    );
    this.#tasks.add(nameOf(key));
    const known = new Map(
      rows.map((row) => [textOf(row, "action"), readOutcome(optionalTextOf(row, "outcome"))] as const),
    );
    const write = (statement: Statement) => this.writer.write(key.thread, { statements: [statement] });
    return {
      recall: (action) => known.get(action),
      begin: (action) => write(beginStatement(key, action)),
      finish: (action, outcome) => write(finishStatement(key, action, outcome)),
      undo: (action) => write(undoStatement(key, action)),
    };
  }

  /**
   * Returns the statements that delete the rows of a task when its writes are stored. A task that stopped for an error
   * or a question keeps its rows.
   */
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

/** Reads the outcome in a record; `begun` if there is none. @throws SyntaxError, ZodError */
export function readOutcome(text: string | undefined): Outcome | "begun" {
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
