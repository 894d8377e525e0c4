import { hostname } from "node:os";
import { shorten } from "./shorten.js";

/**
 * A mistake that the caller can mend: every error that Glassloop throws on purpose is one. The message says what was
 * wrong and what is possible instead; the fields say it to programs.
 */
export class GlassloopError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The input of a turn cannot be a question: it is empty, misspelt, of another type, or does not end with a human message. */
export class InvalidInputError extends GlassloopError {
  constructor(readonly reason: string) {
    super(
      `${reason} Give { messages: "a question" }, or a list of messages that ends with a human one, such as ` +
        `{ messages: [{ role: "user", content: "a question" }] }.`,
    );
  }
}

/** An option of {@link createAgent} or of one of its parts has a value it cannot have. */
export class InvalidOptionError extends GlassloopError {
  constructor(
    readonly option: string,
    readonly reason: string,
  ) {
    super(`${option}: ${reason}`);
  }
}

/** A scripted model was called more often than its script has replies. */
export class ScriptEndedError extends GlassloopError {
  constructor(
    readonly replies: number,
    readonly lastMessage: string,
  ) {
    const shown = lastMessage.length > 300 ? `… ${lastMessage.slice(-300)}` : lastMessage;
    super(
      `The scripted model was called once too often: its script has ${replies} ${replies === 1 ? "reply" : "replies"}. ` +
        `Add a reply, or find out why the model was asked again. The last message it was sent ends:\n${shown}`,
    );
  }
}

/** Replies of a scripted model were never asked for. */
export class ScriptUnfinishedError extends GlassloopError {
  constructor(
    readonly replies: number,
    readonly calls: number,
  ) {
    super(
      `The scripted model was called ${calls === 1 ? "once" : `${calls} times`}, but its script has ${replies} ` +
        `${replies === 1 ? "reply" : "replies"}: take out the replies that are not needed, or find out why the run ended early.`,
    );
  }
}

/** An expression has no value that the calculator can give. */
export class CalculationError extends GlassloopError {
  constructor(
    readonly expression: string,
    readonly reason: string,
  ) {
    super(
      `Cannot work out "${shorten(expression, 100)}": ${reason}. Write one arithmetic expression, such as (54-32)*5/9 or sqrt(25).`,
    );
  }
}

/** The LangChain package of a model's provider is not installed. */
export class MissingPackageError extends GlassloopError {
  constructor(
    readonly provider: string,
    readonly packageName: string,
    options?: ErrorOptions,
  ) {
    super(`Models of ${provider} need the package ${packageName}: npm install ${packageName}`, options);
  }
}

/** A model's provider wants a key, and none was given. Thrown before anything is sent. */
export class MissingApiKeyError extends GlassloopError {
  constructor(
    readonly provider: string,
    readonly variable: string,
    options?: ErrorOptions,
  ) {
    super(
      `Models of ${provider} need an API key: set the environment variable ${variable}` +
        `${provider === "openai" ? ", or give the base URL of a server that needs none" : ""}.`,
      options,
    );
  }
}

/** What can go wrong between an agent and its model. */
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
  | "empty";

/** A model could not be asked, or its reply did not arrive. `cause` is the error that its package threw. */
export class ModelError extends GlassloopError {
  constructor(
    readonly kind: ModelErrorKind,
    sentence: string,
    options: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(sentence, options);
    this.status = options.status;
  }

  /** The HTTP status of the answer; undefined when there was none. */
  readonly status: number | undefined;
}

/** A thread's id cannot be one. */
export class InvalidThreadIdError extends GlassloopError {
  constructor(
    readonly threadId: unknown,
    readonly reason: string,
  ) {
    super(
      `This thread id cannot be used: ${reason}. Give a string of 1 to 255 characters, such as ` +
        `{ configurable: { thread_id: "t1" } }.`,
    );
  }
}

/** The address of a threads database is of no kind that Glassloop knows. */
export class UnknownDatabaseError extends GlassloopError {
  constructor(readonly scheme: string) {
    super(
      `Threads cannot be kept in ${scheme === "" ? "a place without a scheme" : `"${scheme}:"`}. Give "memory:", ` +
        `"sqlite:PATH" such as "sqlite:.glassloop/threads.db", or "postgres://USER:PASSWORD@HOST/DATABASE".`,
    );
  }
}

/** The database of the threads cannot be opened, read or written. `cause` is the error of its driver, when there was one. */
export class ThreadsDatabaseError extends GlassloopError {
  constructor(
    readonly database: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${database}: ${reason}`, options);
  }
}

/** A folder of documents, or the index of one, cannot be used. */
export class DocumentSearchError extends GlassloopError {
  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`Cannot search the documents: ${reason}`, options);
  }
}

/** There is no built-in protocol of that name. */
export class UnknownProtocolError extends GlassloopError {
  constructor(
    readonly protocol: string,
    readonly known: readonly string[],
  ) {
    super(
      `There is no protocol named ${JSON.stringify(protocol)}. The protocols are: ${known.join(", ")}; or give your own.`,
    );
  }
}

/** A thread cannot be read: a part of it is missing or is not what Glassloop wrote. `cause` is what was found. */
export class DamagedThreadError extends GlassloopError {
  constructor(
    readonly threadId: string,
    options?: ErrorOptions,
  ) {
    super(
      `The thread "${threadId}" cannot be read: a part of it is missing or damaged. Restore its database from a backup, ` +
        "go on from an older checkpoint, or delete the thread.",
      options,
    );
  }
}

/** A search engine of the web gave no results: it cannot be reached, refuses, fails, or takes too long. */
export class WebSearchError extends GlassloopError {
  constructor(
    readonly engine: string,
    readonly reason: string,
    /** The HTTP status, when there was a reply. */
    readonly status?: number,
  ) {
    super(`${engine} ${reason}.`);
  }
}

/** The environment says of no search engine how to use it. */
export class WebSearchSetupError extends GlassloopError {}

/** A thread cannot be used or deleted now: a run is under way on it. */
export class ThreadInUseError extends GlassloopError {
  /** The name of the machine on which the run is under way. */
  readonly host: string;
  readonly pid: number;
  /** Who runs it, in words: this process, or another one, and its machine where that is not this one. */
  readonly runBy: string;

  constructor(
    readonly threadId: string,
    { host, pid }: { readonly host: string; readonly pid: number },
  ) {
    const isHere = host === hostname();
    const runBy = isHere ? (pid === process.pid ? "this process" : `process ${pid}`) : `process ${pid} on ${host}`;
    super(
      `The thread "${threadId}" is in use: ${runBy} runs it. Wait until that run has ended, stop it, or say what to do ` +
        'then: createAgent({ multitaskStrategy: "enqueue" }) waits its turn, "interrupt" stops the other run.',
    );
    this.host = host;
    this.pid = pid;
    this.runBy = runBy;
  }
}

/** A run was stopped because another one was started on its thread, under the strategy `interrupt`. */
export class ThreadInterruptedError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(
      `This run on the thread "${threadId}" was stopped: another run interrupted it. The steps it had finished are kept.`,
    );
  }
}

/** A run was silent for so long that another one took its thread over. It can no longer write to it. */
export class ThreadTakenOverError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(
      `This run on the thread "${threadId}" was stopped: it had been silent for so long that another process took the ` +
        "thread over, or deleted it. The steps it had finished before are kept; look at the thread before you go on.",
    );
  }
}

/** There is no thread with this id. */
export class ThreadNotFoundError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(`There is no thread "${threadId}" in this database. threads.list() shows all threads.`);
  }
}

/** A thread cannot be made under this id: there is one already. */
export class ThreadExistsError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(
      `There is a thread "${threadId}" already; it was left as it is. Give another id, or delete that thread first.`,
    );
  }
}

/** A checkpoint of a thread is not there: it was pruned, or it never was. */
export class CheckpointNotKeptError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly checkpointId: string,
  ) {
    super(
      `The thread "${threadId}" keeps no checkpoint "${checkpointId}": it was pruned, or never existed. threads.history() ` +
        "lists those that are kept; pin one to keep it from being pruned.",
    );
  }
}

/** A thread cannot go back to where its last turn began. */
export class NoTurnToRepeatError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly reason: string,
  ) {
    super(`The last turn of the thread "${threadId}" cannot be run again: ${reason}`);
  }
}

/** The lines of an exported thread cannot be read. Nothing was imported. */
export class ThreadFileError extends GlassloopError {
  constructor(
    readonly reason: string,
    /** The line, counted from 1; undefined when the trouble is not in one line. */
    readonly line?: number,
    options?: ErrorOptions,
  ) {
    super(`${line === undefined ? "" : `Line ${line}: `}${reason} Nothing was imported.`, options);
  }
}

/** A thread belongs to another graph than the one that opened it. */
export class ForeignThreadError extends GlassloopError {
  constructor(
    readonly threadId: string,
    /** The graph that it belongs to; undefined when it is none that says its name. */
    readonly owner: string | undefined,
    readonly graph: string,
  ) {
    super(
      owner === undefined
        ? `The thread "${threadId}" holds the state of a graph that is no agent of Glassloop's. Use another thread id.`
        : `The thread "${threadId}" belongs to the graph "${owner}", and this agent is "${graph}". ` +
            `Open it with createAgent({ name: "${owner}" }), or use another thread id.`,
    );
  }
}

/** A thread was written by a newer version of Glassloop, whose state this one does not know. */
export class NewerThreadError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly stateVersion: number,
    readonly known: number,
  ) {
    super(
      `The state of the thread "${threadId}" is of version ${stateVersion}, and this Glassloop knows versions up to ` +
        `${known}. Open it with the version of Glassloop that wrote it, or a newer one. It was left as it is.`,
    );
  }
}
