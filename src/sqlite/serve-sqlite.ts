import { parentPort, workerData } from "node:worker_threads";
import { loadDriver } from "./load-driver.js";
import { SqliteServer, type StatementMaker } from "./sqlite-server.js";
import type { SentCall, SqliteThreadData } from "./sqlite-thread.js";

/** Serves a connection in this worker thread: it answers the calls in their order, and ends after the call of `close`. */
export function serveSqlite(maker?: StatementMaker): void {
  const { options, answers }: SqliteThreadData = workerData;
  const server = new SqliteServer(options, loadDriver(), maker);
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
