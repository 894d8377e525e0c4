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
import { type Outcome, outcomeOf, type SqliteOptions, SqliteServer, type StatementMaker } from "./sqlite-server.js";

type Method = "open" | "read" | "commit" | "watchFiles" | "close";
type Call<M extends Method> = readonly [method: M, ...parameters: Parameters<SqliteServer[M]>];

/** A server, in the thread of the program or in one of its own. */
export interface Callable {
  /** @throws SqliteError */
  call<M extends Method>(...call: Call<M>): Promise<ReturnType<SqliteServer[M]>>;
  /** All files and locks are free when the promise resolves. */
  close(): Promise<void>;
  /** Takes the answers that have arrived, without waiting until the event loop has run all earlier callbacks. */
  takeAnswers?(): void;
}

/** A server in this thread. */
export function serverHere(options: SqliteOptions): Callable {
  const server = new SqliteServer(options);
  return { call: async (...call) => resultOf(answerTo(server, call)), close: async () => server.close() };
}

/** What the thread is started with. */
interface SqliteThreadData {
  readonly options: SqliteOptions;
  readonly answers: MessagePort;
}

interface Waiting {
  answer(outcome: Outcome<never>): void;
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
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  /** @param program The file that serves the connection, with `serveSqlite`. */
  constructor(options: SqliteOptions, program: URL) {
    const { port1, port2: answers } = new MessageChannel();
    this.#worker = new Worker(program, {
      execArgv: [],
      workerData: { options, answers } satisfies SqliteThreadData,
      transferList: [answers],
    });
    this.#answers = port1.on("message", (outcome) => this.#waiting.shift()?.answer(outcome));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => {
      this.takeAnswers();
      this.#fail(new Error("The thread of the connection has ended."));
    });
    this.#rest();
  }

  async call<M extends Method>(...call: Call<M>): Promise<ReturnType<SqliteServer[M]>> {
    if (this.#failure) throw this.#failure;
    const answered = new Promise<Outcome<ReturnType<SqliteServer[M]>>>((answer, fail) =>
      this.#waiting.push({ answer, fail }),
    );
    this.#worker.ref();
    this.#answers.ref();
    this.#worker.postMessage(call);
    return resultOf(await answered.finally(() => this.#rest()));
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = once(this.#worker, "exit");
    await this.call("close");
    this.#worker.ref();
    await ended;
  }

  takeAnswers(): void {
    let received = receiveMessageOnPort(this.#answers);
    for (; received !== undefined; received = receiveMessageOnPort(this.#answers)) {
      this.#waiting.shift()?.answer(received.message);
    }
  }

  /** Lets the process end while nothing is under way. */
  #rest(): void {
    if (this.#waiting.length > 0) return;
    this.#worker.unref();
    this.#answers.unref();
  }

  #fail(error: Error): void {
    this.#failure ??= new SqliteError("ENDED", error.message, { cause: error });
    for (const { fail } of this.#waiting.splice(0)) fail(this.#failure);
  }
}

/** Serves a connection in this worker thread: it answers the calls in their order, and ends after the call of `close`. */
export function serveSqlite(maker?: StatementMaker): void {
  const { options, answers }: SqliteThreadData = workerData;
  const server = new SqliteServer(options, maker);
  parentPort?.on("message", (call: Call<Method>) => {
    answers.postMessage(answerTo(server, call));
    if (call[0] !== "close") return;
    parentPort?.close();
    answers.close();
  });
}

function answerTo<M extends Method>(server: SqliteServer, [method, ...parameters]: Call<M>) {
  return outcomeOf((): ReturnType<SqliteServer[M]> => Reflect.apply(server[method], server, parameters));
}

export function resultOf<T>(outcome: Outcome<T>): T {
  if ("result" in outcome) return outcome.result;
  throw SqliteError.of(outcome.failure);
}
