import { onTestFinished } from "vitest";
import { z } from "zod";
import { openThreads } from "../../../src/index.js";
import { type AgentServer, type ServerOptions, serveAgents } from "../../../src/server/index.js";
import { agent } from "../engine/open-engine.js";

/** Sends a request to a server, as a program on this machine does unless `headers` say otherwise. */
export type Send = (
  method: string,
  path: string,
  given?: {
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

/** Serves agents for the test that runs: by default one that calculates, on threads in memory. */
export async function served(options: Partial<ServerOptions> = {}): Promise<{ send: Send; server: AgentServer }> {
  const threads = options.threads ?? (await openThreads("memory:"));
  const server = await serveAgents({ agents: { agent: agent() }, threads, ...options });
  onTestFinished(async () => {
    await server.close(0);
    if (options.threads === undefined) await threads.close();
  });
  const send: Send = async (method, path, { body, headers = {}, signal } = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1:2024${path}`, {
        method,
        headers: { "Content-Type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      }),
    );
  return { server, send };
}

/** An `authenticate` of servers that takes the owner from a header, and requests that name one there. */
export const authenticate = ({ headers }: Request) => headers.get("X-User") ?? undefined;
export const as =
  (user: string, send: Send): Send =>
  (method, path, given) =>
    send(method, path, { ...given, headers: { ...given?.headers, "X-User": user } });

/** The body of a run that asks the agent. */
export const question = { assistant_id: "agent", input: { messages: [{ role: "user", content: "What is 2 + 2?" }] } };

/** Makes a thread. Returns its id. */
export async function makeThread(send: Send, metadata = {}): Promise<string> {
  const made = await send("POST", "/threads", { body: { metadata } });
  return z.object({ thread_id: z.string() }).parse(await made.json()).thread_id;
}

/** Makes a thread whose agent has answered the question. Returns its id. */
export async function askedThread(send: Send, metadata = {}): Promise<string> {
  const thread = await makeThread(send, metadata);
  await (await send("POST", `/threads/${thread}/runs/wait`, { body: question })).text();
  return thread;
}

/** The ids of the runs of a thread. */
export async function runsOf(send: Send, thread: string): Promise<string[]> {
  const listed = await (await send("GET", `/threads/${thread}/runs`)).json();
  return z.array(z.object({ run_id: z.string() }).transform(({ run_id }) => run_id)).parse(listed);
}
