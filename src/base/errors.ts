import { hostname } from "node:os";

/** What went wrong, for programs. The table in docs/errors.md says what each code means. */
export type ErrorCode =
  | "invalid-input"
  | "invalid-option"
  | SetupErrorCode
  | "model-failed"
  | ToolErrorCode
  | "mcp-server-failed"
  | "mcp-tools-changed"
  | "document-search-failed"
  | "retriever-failed"
  | "threads-database-failed"
  | "newer-database"
  | ThreadErrorCode
  | RunErrorCode
  | "script-ended"
  | "script-unfinished"
  | "request-refused"
  | CommandErrorCode;

/** The codes of errors that only the command line has. `--json` shows them. */
export type CommandErrorCode = "wrong-use" | "port-in-use" | "thread-moved-on" | "lost-thread";

/**
 * An error that the caller can correct. Glassloop throws no other kind on purpose. Its message says what was wrong and
 * what is possible instead. Its `code` and its fields say the same to programs.
 */
export class GlassloopError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** The message without the advice at its end, where that stands apart. */
    readonly problem: string,
    { advice, ...options }: ErrorOptions & { readonly advice?: string | undefined } = {},
  ) {
    super(advice ? `${problem} ${advice}` : problem, options);
    this.name = new.target.name;
  }
}

/**
 * Tells whether an error is Glassloop's, and has a code.
 *
 * @example
 * if (hasCode(error, "thread-not-found")) return undefined;
 */
export function hasCode(error: unknown, code: ErrorCode): error is GlassloopError {
  return error instanceof GlassloopError && error.code === code;
}

/**
 * The error for an input that cannot be a question. It is empty, misspelt, of another type, or does not end with a
 * human message.
 */
export class InvalidInputError extends GlassloopError {
  constructor(problem: string) {
    const advice =
      `Give { messages: "a question" }, or a list of messages that ends with a human one, such as ` +
      `{ messages: [{ role: "user", content: "a question" }] }.`;
    super("invalid-input", problem, { advice });
  }
}

/** The error for an option of {@link createAgent} or of one of its parts that has an impossible value. */
export class InvalidOptionError extends GlassloopError {
  constructor(
    readonly option: string,
    readonly reason: string,
  ) {
    super("invalid-option", `${option}: ${reason}`);
  }
}

/** Makes a sentence of what an error is about, and of a detail such as a reason. */
type Sentence = (about: string, detail: string) => string;

const setupSentences = {
  "missing-package": (name, users) => `${users} need the package ${name}: npm install ${name}`,
  "missing-api-key": (variable, provider) =>
    `Models of ${provider} need an API key: set the environment variable ${variable}` +
    `${provider === "openai" ? ", or give the base URL of a server that needs none" : ""}.`,
  "missing-worker": (file, folder) =>
    `The bundle needs Glassloop's file ${file} in ${folder}: copy it from node_modules/glassloop, or install glassloop there.`,
  "unknown-release": (name, missing) =>
    `This release of ${name} lacks or changed what Glassloop relies on: ${missing}. Releases from 1.5.3 to 1.7.3 have it: ` +
    `npm install ${name}@1.7.3, or install a newer Glassloop.`,
  "invalid-mcp-file": (path, reason) => `${path}: ${reason}`,
} satisfies Record<string, Sentence>;

/** The codes of a {@link SetupError}. */
export type SetupErrorCode = keyof typeof setupSentences;

/** The error for something around the program that is missing or wrong. It is thrown before anything is sent. */
export class SetupError extends GlassloopError {
  constructor(
    override readonly code: SetupErrorCode,
    /** The package to install, the environment variable to set, or the file to copy or to mend. */
    readonly needed: string,
    /** Who needs the package or the key, the folder to copy to, or else a reason. */
    detail: string,
    options?: ErrorOptions,
  ) {
    super(code, setupSentences[code](needed, detail), options);
  }
}

/** The kinds of errors between an agent and its model. */
export type ModelErrorKind =
  | "authentication"
  | "permission"
  | "not-found"
  | "too-long"
  | "refused"
  | "rate-limit"
  | "quota"
  | "server"
  | "unreachable"
  | "timeout"
  | "interrupted"
  | "garbled"
  | "empty";

/**
 * A part of a request that a server may refuse: all `tools`, all `files` of a kind, one `file` that is too large or cannot be
 * read, a `response-format`.
 */
export type RequestPart = "tools" | "files" | "file" | "response-format";

/**
 * The error for a model that cannot be asked, or whose reply did not arrive. `cause` is the error of its package.
 */
export class ModelError extends GlassloopError {
  constructor(
    readonly kind: ModelErrorKind,
    problem: string,
    options: ErrorOptions & { advice?: string } & Partial<Pick<ModelError, "status" | "retryAfterMs" | "refuses">> = {},
  ) {
    super("model-failed", problem, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.refuses = options.refuses ?? [];
  }

  /** The HTTP status of the reply; undefined if there was no reply. */
  readonly status: number | undefined;
  /** The milliseconds that the server wants to wait before the next try; undefined if it does not say. */
  readonly retryAfterMs: number | undefined;
  /** The parts of the request that the server does not take, if it refused the request. */
  readonly refuses: readonly RequestPart[];
}

/** The codes of a {@link ToolError}. */
export type ToolErrorCode = "calculation-failed" | "web-search-failed" | "web-page-failed" | "mcp-call-failed";

/** The error for a call of a built-in tool that has no result. Its message tells a model why. */
export class ToolError extends GlassloopError {
  constructor(
    override readonly code: ToolErrorCode,
    problem: string,
    /** The HTTP status, if a server refused. */
    readonly status?: number,
  ) {
    super(code, problem);
  }
}

/** The error for an MCP server that cannot be started, reached or understood. */
export class McpServerError extends GlassloopError {
  constructor(
    readonly server: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super("mcp-server-failed", `The MCP server "${server}" ${reason}`, options);
  }
}

/** The error for tools of MCP servers whose definitions are no longer the pinned ones. No tool was made. */
export class McpToolsChangedError extends GlassloopError {
  constructor(
    /** The changed tools, each with the parts of its definition that changed, in words. */
    readonly tools: readonly { readonly server: string; readonly tool: string; readonly changes: readonly string[] }[],
    /** The file with the pinned definitions. */
    readonly pins: string,
  ) {
    const [first] = tools;
    const all = tools.map(({ server, tool, changes }) => `- "${tool}" of "${server}": ${changes.join("; ")}`);
    super(
      "mcp-tools-changed",
      `Tools of MCP servers differ from their pinned definitions in ${pins}:\n${all.join("\n")}\n` +
        `Read what changed: a model follows these texts. To accept a tool, delete its entry in that file, such as ` +
        `servers → ${first?.server} → ${first?.tool}, and run again.`,
    );
  }
}

/** The error for a folder of documents, or for its index, that cannot be used. */
export class DocumentSearchError extends GlassloopError {
  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super("document-search-failed", `Cannot search the documents: ${reason}`, options);
  }
}

/** The error for a retriever that cannot search. The turn can go on when it works again. */
export class RetrieverError extends GlassloopError {
  constructor(
    /** The name of the retriever. */
    readonly retriever: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    const words = reason.replace(/[.\s]+$/, "");
    super("retriever-failed", `The retriever "${retriever}" cannot search: ${words}.`, options);
  }
}

/**
 * The error for a threads database that cannot be opened, read or written. `cause` is the error of its driver, if there
 * was one.
 */
export class ThreadsDatabaseError extends GlassloopError {
  constructor(
    readonly database: string,
    readonly reason: string,
    options?: ErrorOptions & { readonly canResume?: boolean },
  ) {
    super("threads-database-failed", `${database}: ${reason}`, options);
    this.canResume = options?.canResume;
  }

  /**
   * Tells whether `agent.invoke(null, config)` goes on with the run that the error ended. It is undefined if the error
   * did not end a run. If it is false, the question has to be asked again.
   */
  readonly canResume: boolean | undefined;
}

/** The error for a threads database that a newer version of Glassloop made or changed. Nothing was written. */
export class NewerDatabaseError extends ThreadsDatabaseError {
  override readonly code = "newer-database";

  constructor(database: string, version: string, known: number) {
    const problem = `its tables are of version ${version}, and this Glassloop knows versions up to ${known}.`;
    const advice = "Open it with the version of Glassloop that wrote it, or a newer one.";
    super(database, `${problem} ${advice}`, { canResume: false });
  }
}

const threadSentences = {
  "invalid-thread-id": (_thread, reason) => `This thread id cannot be used: ${reason}.`,
  "thread-not-found": (thread) => `There is no thread "${thread}".`,
  "thread-exists": (thread) => `There is a thread "${thread}" already, which was not changed.`,
  "thread-waiting": (thread, checkpoint) =>
    `The thread "${thread}" waits for a person at the checkpoint "${checkpoint}", and a fork of it could be decided a second time.`,
  "thread-in-use": (thread, runBy) => `The thread "${thread}" is in use: ${runBy} runs it.`,
  "thread-interrupted": (thread) =>
    `This run on the thread "${thread}" was stopped: another run interrupted it. Its finished steps are kept.`,
  "thread-taken-over": (thread) =>
    `This run on the thread "${thread}" was stopped: it sent no heartbeat for so long that another process took the ` +
    "thread over, or deleted it. Its finished steps are kept; look at the thread before you resume it.",
  "thread-pruned": (thread) => `The thread "${thread}" was pruned or deleted while it was exported. Export it again.`,
  "damaged-thread": (thread) =>
    `The thread "${thread}" cannot be read: a part of it is missing or damaged. Restore its database from a backup, ` +
    "go on from an older checkpoint, or delete the thread.",
  "foreign-thread": (thread, reason) => `The thread "${thread}" ${reason}`,
  "newer-thread": (thread, versions) =>
    `The state of the thread "${thread}" is of version ${versions}. Open it with the version of Glassloop that wrote ` +
    "it, or a newer one. The thread was not changed.",
  "checkpoint-not-kept": (thread, checkpoint) =>
    `The thread "${thread}" keeps no checkpoint "${checkpoint}": it was pruned, or never existed.`,
  "no-turn-to-repeat": (thread, reason) => `The last turn of the thread "${thread}" cannot be run again: ${reason}`,
  "no-turn-to-continue": (thread, reason) => `The last turn of the thread "${thread}" cannot go on: ${reason}`,
  "not-waiting": (thread, reason) => `The thread "${thread}" does not wait for this decision: ${reason}.`,
  "decision-missing": (thread) =>
    `The thread "${thread}" waits for the decision of a person. The new question was not taken, and nothing has changed.`,
  "foreign-turn": (thread, part) =>
    `The last turn of the thread "${thread}" stopped at the ${part}, which this agent does not have. Resume it with ` +
    "an agent that has it, such as the one that began the turn. Any agent can ask a new question.",
} satisfies Record<string, Sentence>;

/** The advice that a person at the command line gets in other words. */
const threadAdvice: { readonly [Code in ThreadErrorCode]?: string } = {
  "invalid-thread-id": 'Give a string of 1 to 255 characters, such as { configurable: { thread_id: "t1" } }.',
  "thread-not-found": "threads.list() shows the threads of this database.",
  "thread-waiting": "Decide first, or fork a checkpoint from before the model's reply.",
  "thread-exists": "Give another id, or delete that thread first.",
  "thread-in-use":
    'Wait until that run has ended, or stop it. Or choose a strategy: createAgent({ multitaskStrategy: "enqueue" }) ' +
    'waits its turn, "interrupt" stops the other run.',
  "decision-missing":
    'Decide first. Or say what happens to what waits: createAgent({ whileWaiting: "drop" }), or "keep".',
  "checkpoint-not-kept": "threads.history() lists the kept ones. Fork a checkpoint to keep it.",
};

/** The codes of a {@link ThreadError}. */
export type ThreadErrorCode = keyof typeof threadSentences;

/** The error for a thread, a checkpoint or a turn that is not there, or cannot be used. */
export class ThreadError extends GlassloopError {
  constructor(
    override readonly code: ThreadErrorCode,
    readonly threadId: string,
    /** A reason, or what the error is about beside the thread, such as the id of a checkpoint. */
    detail = "",
    options?: ErrorOptions,
  ) {
    super(code, threadSentences[code](threadId, detail), { ...options, advice: threadAdvice[code] });
  }
}

/** The error for a thread that cannot be used or deleted now, because a run uses it. */
export class ThreadInUseError extends ThreadError {
  constructor(
    threadId: string,
    /** The name of the run's machine. */
    readonly host: string,
    readonly pid: number,
  ) {
    const here = pid === process.pid ? "this process" : `process ${pid}`;
    super("thread-in-use", threadId, host === hostname() ? here : `process ${pid} on ${host}`);
  }
}

/** The error for a decision, or another answer of a person, that comes too late or to the wrong thread. Nothing was done. */
export class NotWaitingError extends ThreadError {
  constructor(
    threadId: string,
    readonly reason: string,
    /** The ids of the actions and questions that wait instead. */
    readonly waiting: readonly string[] = [],
  ) {
    super("not-waiting", threadId, reason);
  }
}

const runSentences = {
  "run-exists": (run) => `There is a run "${run}" already; it was left as it is.`,
  "run-not-found": (run) => `There is no run "${run}".`,
  "run-active": (run) => `The run "${run}" has not ended. Cancel it first.`,
  "run-events-deleted": (run) =>
    `The events of the run "${run}" are deleted: it ended too long ago. Read the state of its thread.`,
  "too-many-runs": (run) => `The run "${run}" was not taken: too many runs wait. Ask again later.`,
  "unknown-graph": (_run, graph) => `This server has no graph "${graph}".`,
  "too-many-attempts": (run) => `The run "${run}" was given up: the process that ran it ended again and again.`,
  "run-lost": (run) =>
    `The process that ran "${run}" ended, and its graph keeps its threads where a run is not known by its id.`,
  "server-closing": (run) => `The server is closing, and the run "${run}" goes on when it is back.`,
} satisfies Record<string, Sentence>;

/** The codes of a {@link RunError}. */
export type RunErrorCode = keyof typeof runSentences;

/** The error for a run of a server that is not there, or cannot be taken. */
export class RunError extends GlassloopError {
  constructor(
    override readonly code: RunErrorCode,
    readonly runId: string,
    /** What the error is about beside the run, such as the name of a graph. */
    detail = "",
  ) {
    super(code, runSentences[code](runId, detail));
  }
}
