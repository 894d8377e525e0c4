import { once } from "node:events";
import { createRequire } from "node:module";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { SqliteError } from "./sqlite-error.js";
import { type SqliteOptions, SqliteServer } from "./sqlite-server.js";

/** A server, or a server in a worker thread. The second one answers later. */
export type Callable = { [M in Method]: (...parameters: Parameters<SqliteServer[M]>) => Later<Result<M>> } & {
  takeAnswers?(): void;
};
type Method = "open" | "read" | "commit" | "commitMade" | "execute" | "watchFiles" | "close";
type Result<M extends Method> = ReturnType<SqliteServer[M]>;
type Later<T> = T | Promise<T>;

interface Call {
  answer(result: unknown): void;
  fail(error: Error): void;
}

/**
 * Writes the program of the worker. It answers the calls in their order, and ends after the call of `close`.
 *
 * @param maker The source text of an expression, whose value is a `StatementMaker`.
 */
const programWith = (maker: string) => `
const __name = (named) => named; // esbuild's option keepNames puts calls of it into the class.
const { parentPort, workerData } = require("node:worker_threads");
const { answers } = workerData;
const server = new (${SqliteServer})(workerData, require(workerData.driver), require("node:fs").statSync, ${maker});
parentPort.on("message", ([method, parameters]) => {
  answers.postMessage(server[method](...parameters));
  if (method !== "close") return;
  parentPort.close();
  answers.close();
});`;

/**
 * A {@link SqliteServer} in a worker thread. There neither the disk nor a lock stops the event loop of the program. The
 * end of the thread frees all that the driver holds. A closed connection alone would keep its files open until the
 * garbage collector has found its statements.
 */
export class SqliteWorker implements Callable {
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #calls: Call[] = [];
  #failure: Error | undefined;

  constructor(options: SqliteOptions, maker = "undefined") {
    const driver = createRequire(import.meta.url).resolve("@photostructure/sqlite");
    const { port1, port2: answers } = new MessageChannel();
    const workerData = { ...options, driver, answers };
    this.#worker = new Worker(programWith(maker), { eval: true, execArgv: [], workerData, transferList: [answers] });
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

  /** Takes the answers that have come. The event loop would bring them only when it has done all that is due before. */
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
