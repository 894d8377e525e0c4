import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AgentServer, serveAgents } from "../../../src/server/index.js";
import { openThreads, type Threads } from "../../../src/threads/open.js";
import type { TestDatabase, TestDatabaseKind } from "../../matrix/databases.js";
import { checks, type Served } from "./checks.js";
import differences from "./differences.json" with { type: "json" };
import expected from "./expected.json" with { type: "json" };
import { normal } from "./normal.js";
import { graph } from "./wire-graph.js";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Response | Promise<Response>;

/** Returns a server as the checks use it. @param fetch Sends a request: over the network, or to a server in the process. */
export function served(url: string, fetch: Fetch): Served {
  const callerOptions = {
    maxRetries: 0,
    maxConcurrency: 100,
    fetch: async (input: string, init: RequestInit) => fetch(input, init),
  };
  return {
    client: new Client({ apiUrl: url, apiKey: null, callerOptions }),
    async request(method, path, body) {
      const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { "Content-Type": "application/json" },
        ...sent,
      });
      const text = await response.text();
      return { status: response.status, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text };
    },
  };
}

/** Results that are meant to be others than those of LangGraph's server, each with its reason. */
const ours: Readonly<Record<string, { readonly reason: string; readonly result: unknown }>> = differences;

/** Defines a test for each check. @param isOurs False for LangGraph's own server. */
export function itAnswersAsExpected(server: () => Served, isOurs: boolean, names = Object.keys(checks)): void {
  vi.setConfig({ maxConcurrency: 30 });
  it.concurrent.each(names)("%s", async (name) => {
    const check = checks[name] ?? expect.fail("There is no such check.");
    const known: unknown = Reflect.get(expected, name);
    const wanted = isOurs && ours[name] ? ours[name].result : known;
    expect(normal(await check(server()))).toEqual(wanted);
  });
}

/** Defines the tests of our server on a database, in this process. @param hasWorker True if another one executes its runs. */
export function describeServerOn(kind: TestDatabaseKind, hasWorker = false, names?: string[]): void {
  describe(`a server${hasWorker ? " and a worker" : ""} on ${kind.name}`, () => {
    let database: TestDatabase;
    const opened: { readonly threads: Threads; readonly server: AgentServer }[] = [];

    async function open(maxRuns: number): Promise<void> {
      const threads = await openThreads(database.url);
      const server = await serveAgents({ agents: { wire: graph }, threads, clientSettings: "all", maxRuns });
      opened.push({ threads, server });
    }

    beforeAll(async () => {
      database = await kind.create();
      await open(hasWorker ? 0 : 100);
      if (hasWorker) await open(100);
    });

    afterAll(async () => {
      for (const { server } of opened) await server.close(0);
      for (const { threads } of opened) await threads.close();
      await database.remove();
    });

    itAnswersAsExpected(
      () => {
        const [{ server } = expect.fail("The server did not start.")] = opened;
        return served("http://localhost", async (input, init) => server.fetch(new Request(input, init)));
      },
      true,
      names,
    );
  });
}
