import { once } from "node:events";
import {
  MessageChannel,
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from "node:worker_threads";
import { SqliteError } from "./sqlite-error.js";
import { type SqliteOptions, SqliteServer, type StatementMaker } from "./sqlite-server.js";

/** A server, or a server in a worker thread. The second one answers later. */
export type Callable = { [M in Method]: (...parameters: Parameters<SqliteServer[M]>) => Later<Result<M>> } & {
  takeAnswers?(): void;
};
type Method = "open" | "read" | "commit" | "commitMade" | "execute" | "watchFiles" | "close";
type Result<M extends Method> = ReturnType<SqliteServer[M]>;
type Later<T> = T | Promise<T>;

/** What the thread is started with. */
interface SqliteThreadData {
  readonly options: SqliteOptions;
  readonly answers: MessagePort;
}

/** A call, as it is sent to the thread. */
type SentCall = { [M in Method]: readonly [method: M, parameters: Parameters<SqliteServer[M]>] }[Method];

interface Call {
  answer(result: unknown): void;
  fail(error: Error): void;
}

/**
 * A {@link SqliteServer} in a worker thread. In the thread neither the disk nor a lock blocks the event loop of the program.
 * The end of the thread frees all resources of the driver, while a closed connection keeps its files open until its
 * statements are garbage collected.
 */
export class SqliteThread implements Callable {
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #calls: Call[] = [];
  #failure: Error | undefined;

  /** @param program The file that serves the connection, with `serveSqlite`. */
  constructor(options: SqliteOptions, program: URL) {
    const { port1, port2: answers } = new MessageChannel();
    this.#worker = new Worker(program, {
      execArgv: [],
      workerData: { options, answers } satisfies SqliteThreadData,
      transferList: [answers],
    });
    this.#answers = port1.on("message", (result) => this.#calls.shift()?.answer(result));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => {
      this.takeAnswers();
      this.#fail(new Error("The thread of the connection has ended."));
    });
    this.#rest();
  }

  open = () => this.#call("open");
  read = (...parameters: Parameters<SqliteServer["read"]>) => this.#call("read", ...parameters);
  commit = (...parameters: Parameters<SqliteServer["commit"]>) => this.#call("commit", ...parameters);
  commitMade = (input: unknown) => this.#call("commitMade", input);
  execute = (...parameters: Parameters<SqliteServer["execute"]>) => this.#call("execute", ...parameters);
  watchFiles = () => this.#call("watchFiles");

  /** Takes the answers that have arrived, without waiting until the event loop has run all earlier callbacks. */
  takeAnswers(): void {
    let received = receiveMessageOnPort(this.#answers);
    for (; received !== undefined; received = receiveMessageOnPort(this.#answers)) {
      this.#calls.shift()?.answer(received.message);
    }
  }

  /** All files and locks are free when the promise resolves. */
  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = once(this.#worker, "exit");
    await this.#call("close");
    this.#worker.ref();
    await ended;
  }

  /** @throws SqliteError if the thread has ended. */
  async #call<M extends Method>(method: M, ...parameters: Parameters<SqliteServer[M]>): Promise<Result<M>> {
    if (this.#failure) throw this.#failure;
    const answered = new Promise<Result<M>>((answer, fail) => this.#calls.push({ answer, fail }));
    this.#worker.ref();
    this.#answers.ref();
    this.#worker.postMessage([method, parameters]);
    return answered.finally(() => this.#rest());
  }

  /** Lets the process end while nothing is under way. */
  #rest(): void {
    if (this.#calls.length > 0) return;
    this.#worker.unref();
    this.#answers.unref();
  }

  #fail(error: Error): void {
    this.#failure ??= new SqliteError("ENDED", error.message, { cause: error });
    for (const { fail } of this.#calls.splice(0)) fail(this.#failure);
  }
}

/** Serves a connection in this worker thread: it answers the calls in their order, and ends after the call of `close`. */
export function serveSqlite(maker?: StatementMaker): void {
  const { options, answers }: SqliteThreadData = workerData;
  const server = new SqliteServer(options, maker);
  parentPort?.on("message", (call: SentCall) => {
    answers.postMessage(answerTo(server, call));
    if (call[0] !== "close") return;
    parentPort?.close();
    answers.close();
  });
}

function answerTo(server: SqliteServer, [method, parameters]: SentCall): unknown {
  const answer: (...parameters: never) => unknown = server[method];
  return Reflect.apply(answer, server, parameters);
}
