import { onTestFinished } from "vitest";
import { openThreads } from "../../../src/index.js";
import { type AgentServer, type ServerOptions, serveAgents } from "../../../src/server/index.js";
import type { Threads } from "../../../src/threads/index.js";
import { Changes } from "../../src/client/changes.js";
import { Connection } from "../../src/client/connection.js";
import type { Observable } from "../../src/client/observable.js";
import { Requests, type Send } from "../../src/client/requests.js";
import { ServerError } from "../../src/client/server-error.js";
import type { Server } from "../../src/client/thread-store.js";

/** A server in this process, as the page sees it. */
export interface Served extends Server {
  readonly threads: Threads;
  readonly send: Send;
  /** Has the server answer nothing any more, or another one in its place. */
  replace(server: AgentServer | undefined): void;
}

/** Serves agents for the test that runs, on threads in memory. */
export async function serve(agents: ServerOptions["agents"], options: Partial<ServerOptions> = {}): Promise<Served> {
  const threads = options.threads ?? (await openThreads("memory:"));
  let current: AgentServer | undefined = await serveAgents({ agents, threads, ...options });
  const first = current;
  onTestFinished(async () => {
    await first.close(0);
    if (options.threads === undefined) await threads.close();
  });
  const send: Send = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (init.body) headers.set("Content-Type", "application/json");
    if (current === undefined) throw new TypeError("Failed to fetch");
    const response = await current.fetch(new Request(`http://127.0.0.1:2024/${path}`, { ...init, headers }));
    if (response.ok) return response;
    const { message, detail } = JSON.parse(await response.text());
    throw new ServerError(response.status, String(detail ?? message));
  };
  const connection = new Connection();
  return {
    threads,
    send,
    connection,
    requests: new Requests(send),
    changes: new Changes(send, connection),
    replace: (server) => {
      current = server;
    },
  };
}

/** Waits until a value is as wanted. Returns it. */
export function until<Value>(observed: Observable<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isWanted(observed.get())) return;
      leave();
      resolve(observed.get());
    };
    const leave = observed.watch(look);
    look();
  });
}
