import { hostname } from "node:os";
import { inOneLine, shorten } from "./shorten.js";

/**
 * An error that the caller can correct. Glassloop throws no other kind on purpose. Its message says what was wrong and
 * what is possible instead. Its fields say the same to programs.
 */
export class GlassloopError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * The error for an input that cannot be a question. It is empty, misspelt, of another type, or does not end with a
 * human message.
 */
export class InvalidInputError extends GlassloopError {
  constructor(readonly reason: string) {
    super(
      `${reason} Give { messages: "a question" }, or a list of messages that ends with a human one, such as ` +
        `{ messages: [{ role: "user", content: "a question" }] }.`,
    );
  }
}

/** The error for an option of {@link createAgent} or of one of its parts that has an impossible value. */
export class InvalidOptionError extends GlassloopError {
  constructor(
    readonly option: string,
    readonly reason: string,
  ) {
    super(`${option}: ${reason}`);
  }
}

/** The error for a scripted model that is called more often than its script has replies. */
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

/** The error for a scripted model with replies that were never asked for. */
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

/** The error for an expression that has no value that the calculator can give. */
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

/** The error for a package that is not installed. Models and MCP servers need packages that only their users install. */
export class MissingPackageError extends GlassloopError {
  /**
   * @param users What needs the package, such as "Models of groq".
   */
  constructor(
    readonly users: string,
    readonly packageName: string,
    options?: ErrorOptions,
  ) {
    super(`${users} need the package ${packageName}: npm install ${packageName}`, options);
  }
}

/** The error for a file of MCP servers, or of their pinned tools, that cannot be used. */
export class McpFileError extends GlassloopError {
  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${path}: ${reason}`, options);
  }
}

/** The error for an MCP server that cannot be started, reached or understood. */
export class McpServerError extends GlassloopError {
  constructor(
    readonly server: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`The MCP server "${server}" ${reason}`, options);
  }
}

/** The error for a call of an MCP tool that gave no result. Its message tells a model what happened and what to do. */
export class McpCallError extends GlassloopError {
  constructor(
    readonly server: string,
    readonly tool: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
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
      `Tools of MCP servers are no longer what was pinned in ${pins}:\n${all.join("\n")}\n` +
        `Read what changed: a model follows these texts. To accept a tool, delete its entry in that file, such as ` +
        `servers → ${first?.server} → ${first?.tool}, and run again.`,
    );
  }
}

/** The error for a model whose provider needs a key, if there is none. It is thrown before anything is sent. */
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
 * The error for a model that cannot be asked, or whose reply did not arrive. Its message is the `problem`, and then the
 * advice. `cause` is the error of its package.
 */
export class ModelError extends GlassloopError {
  constructor(
    readonly kind: ModelErrorKind,
    readonly problem: string,
    options: ErrorOptions & { readonly status?: number; readonly advice?: string } = {},
  ) {
    super(options.advice ? `${problem} ${options.advice}` : problem, options);
    this.status = options.status;
  }

  /** The HTTP status of the reply; undefined if there was no reply. */
  readonly status: number | undefined;
}

/** The error for an id that cannot be the id of a thread. */
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

/** The error for the address of a threads database whose scheme is unknown. */
export class UnknownDatabaseError extends GlassloopError {
  constructor(readonly scheme: string) {
    super(
      `Threads cannot be kept in ${scheme === "" ? "a place without a scheme" : `"${scheme}:"`}. Give "memory:", ` +
        `"sqlite:PATH" such as "sqlite:.glassloop/threads.db", or "postgres://USER:PASSWORD@HOST/DATABASE".`,
    );
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
    super(`${database}: ${reason}`, options);
    this.canResume = options?.canResume;
  }

  /**
   * Tells whether `agent.invoke(null, config)` goes on with the run that the error ended. It is undefined if the error
   * did not end a run. If it is false, the question has to be asked again.
   */
  readonly canResume: boolean | undefined;
}

/** The error for a folder of documents, or for its index, that cannot be used. */
export class DocumentSearchError extends GlassloopError {
  constructor(
    readonly path: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`Cannot search the documents: ${reason}`, options);
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
    super(`The retriever "${retriever}" cannot search: ${reason.replace(/[.\s]+$/, "")}.`, options);
  }
}

/** The error for a name that no built-in protocol has. */
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

/**
 * The error for a thread that cannot be read. A part of it is missing, or Glassloop did not write it. `cause` is the
 * error that was found.
 */
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

/**
 * The error for a web search without results: the search engine cannot be reached, refuses, fails, or takes too long.
 */
export class WebSearchError extends GlassloopError {
  constructor(
    readonly engine: string,
    readonly reason: string,
    /** The HTTP status, if there was a reply. */
    readonly status?: number,
  ) {
    super(`${engine} ${reason}.`);
  }
}

/** The error for a page that cannot be fetched or read. Its message tells a model why. */
export class WebPageError extends GlassloopError {
  constructor(
    readonly address: string,
    readonly reason: string,
    /** The HTTP status, if the server refused. */
    readonly status?: number,
  ) {
    super(`Cannot fetch ${shorten(inOneLine(address), 200)}: ${reason}.`);
  }
}

/** The error for an environment that does not set up any search engine. */
export class WebSearchSetupError extends GlassloopError {}

/** The error for a thread that cannot be used or deleted now, because a run uses it. */
export class ThreadInUseError extends GlassloopError {
  /** The name of the run's machine. */
  readonly host: string;
  readonly pid: number;
  /** The process of the run in words: "this process", or its id, with the machine if that is another one. */
  readonly runBy: string;

  constructor(
    readonly threadId: string,
    { host, pid }: { readonly host: string; readonly pid: number },
  ) {
    const isHere = host === hostname();
    const runBy = isHere ? (pid === process.pid ? "this process" : `process ${pid}`) : `process ${pid} on ${host}`;
    super(
      `The thread "${threadId}" is in use: ${runBy} runs it. Wait until that run has ended, or stop it. Or choose ` +
        'a strategy: createAgent({ multitaskStrategy: "enqueue" }) waits its turn, "interrupt" stops the other run.',
    );
    this.host = host;
    this.pid = pid;
    this.runBy = runBy;
  }
}

/** The error for a run that was stopped because another run with the strategy `interrupt` wanted its thread. */
export class ThreadInterruptedError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(
      `This run on the thread "${threadId}" was stopped: another run interrupted it. The steps it had finished are kept.`,
    );
  }
}

/**
 * The error for a run that was silent so long that another one took its thread over. It can no longer write to the
 * thread.
 */
export class ThreadTakenOverError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(
      `This run on the thread "${threadId}" was stopped: it had been silent for so long that another process took the ` +
        "thread over, or deleted it. The steps it had finished before are kept; look at the thread before you go on.",
    );
  }
}

/** The error for a thread that was pruned or deleted while it was exported. The text that was written of it is not whole. */
export class ThreadPrunedError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(`The thread "${threadId}" was pruned or deleted while it was exported. Export it again.`);
  }
}

/** The error for an id that no thread has. */
export class ThreadNotFoundError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(`There is no thread "${threadId}" in this database. threads.list() shows the threads.`);
  }
}

/** The error for the id of a new thread that another thread already has. */
export class ThreadExistsError extends GlassloopError {
  constructor(readonly threadId: string) {
    super(
      `There is a thread "${threadId}" already; it was left as it is. Give another id, or rename or delete that thread first.`,
    );
  }
}

/** The error for a checkpoint that a thread does not keep. It was pruned, or never existed. */
export class CheckpointNotKeptError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly checkpointId: string,
  ) {
    super(
      `The thread "${threadId}" keeps no checkpoint "${checkpointId}": it was pruned, or never existed. threads.history() ` +
        "lists the kept ones. Fork a checkpoint to keep it.",
    );
  }
}

/** The error for a thread that cannot go back to the beginning of its last turn. */
export class NoTurnToRepeatError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly reason: string,
  ) {
    super(`The last turn of the thread "${threadId}" cannot be run again: ${reason}`);
  }
}

/** The error for a thread whose last turn cannot go on. */
export class NoTurnToContinueError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly reason: string,
  ) {
    super(`The last turn of the thread "${threadId}" cannot go on: ${reason}`);
  }
}

/** The error for a thread that belongs to another graph than the one that opened it. */
export class ForeignThreadError extends GlassloopError {
  constructor(
    readonly threadId: string,
    /** The graph that the thread belongs to; undefined if its checkpoints do not name it. */
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

/** The error for a turn that cannot go on with this agent: it stands at a node of another kind of agent. */
export class ForeignTurnError extends GlassloopError {
  constructor(
    readonly threadId: string,
    readonly node: string,
  ) {
    super(
      `The last turn of the thread "${threadId}" stands at the node "${node}", which this agent does not have. ` +
        "Go on with an agent that has it: createAgent and createRetrievalAgent have other nodes. A new question can be asked with any.",
    );
  }
}

/** The error for a thread whose state was written by a newer version of Glassloop. */
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
