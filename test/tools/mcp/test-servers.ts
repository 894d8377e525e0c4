import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ToolMessage } from "@langchain/core/messages";
import { expect, vi } from "vitest";
import { type McpServer, type McpTools, type McpToolsOptions, mcpTools } from "../../../src/tools/index.js";

/** These helpers wait in hooks, too, where `expect.poll` does not work. */
const patience = { timeout: 100_000, interval: 50 };

/** The path of a program in `fixtures/`. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}

/** A folder for the files of a test, and what its servers wrote down there. */
export interface Place extends AsyncDisposable {
  readonly path: string;
  /** The environment that a test's server needs. */
  readonly env: Readonly<Record<string, string>>;
  /** The lines that servers wrote, such as "write". */
  notes(): Promise<string[]>;
  /** Waits until a server has written a line. */
  noted(line: string): Promise<void>;
  /** The ids of the processes of servers that were started. */
  pids(): Promise<number[]>;
}

export async function place(): Promise<Place> {
  const path = await mkdtemp(join(tmpdir(), "glassloop-mcp-"));
  const log = join(path, "log");
  const notes = async () => (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
  return {
    path,
    env: { LOG: log, TMPDIR: tmpdir() },
    notes,
    noted: async (line) => {
      await vi.waitFor(async () => expect(await notes()).toContain(line), patience);
    },
    pids: async () => (await notes()).flatMap((note) => (note.startsWith("start ") ? [Number(note.slice(6))] : [])),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** The test server as a process over stdio. */
export function stdioServer({ env }: Place, ...words: readonly string[]) {
  return {
    command: process.execPath,
    args: [fixture("stdio-server.mjs"), ...words],
    env: { ...env },
  } satisfies McpServer;
}

/** The test server as a process over HTTP. */
export interface HttpServer extends AsyncDisposable {
  readonly server: McpServer;
  readonly port: number;
  /** The number of sessions that are open. */
  sessions(): Promise<number>;
}

export async function httpServer({ env }: Place, port = 0): Promise<HttpServer> {
  const child = fork(fixture("http-server.mjs"), [String(port)], { env: { ...process.env, ...env } });
  const said = async () => (await once(child, "message"))[0];
  const { port: bound } = await said();
  return {
    server: { url: `http://127.0.0.1:${bound}/mcp`, headers: { Authorization: "Bearer secret" } },
    port: bound,
    async sessions() {
      const answer = said();
      child.send("sessions");
      return (await answer).sessions;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** The tools of a server, connected, with its place. */
export interface Connected extends AsyncDisposable {
  readonly at: Place;
  readonly mcp: McpTools;
  readonly call: (name: string, args?: object, signal?: AbortSignal) => Promise<ToolMessage>;
}

/** Connects to a server in a place of its own: by default to the test server over stdio. */
export async function connected(
  serverAt: (at: Place) => McpServer | Promise<HttpServer> = stdioServer,
  options: Omit<McpToolsOptions, "servers"> = {},
): Promise<Connected> {
  const at = await place();
  const started = await serverAt(at);
  const test = "sessions" in started ? started.server : started;
  const mcp = await mcpTools({ servers: { test }, ...options });
  return {
    at,
    mcp,
    call: (name, args, signal) => call(mcp, name, args, signal),
    async [Symbol.asyncDispose]() {
      await mcp.close();
      if ("sessions" in started) await started[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** A server as one of the other programs in `fixtures/`. */
export const otherServer =
  (program: string, ...words: readonly string[]) =>
  ({ env }: Place) => ({ command: process.execPath, args: [fixture(program), ...words], env });

/** Calls a tool as a model's call does. */
export async function call(mcp: McpTools, name: string, args = {}, signal?: AbortSignal): Promise<ToolMessage> {
  const found = mcp.tools.find((tool) => tool.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name} among ${mcp.tools.map((tool) => tool.name)}`);
  return found.invoke({ type: "tool_call", id: "call-1", name, args }, { signal });
}

/** Tells whether a process runs. One that has ended and that nobody has waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until none of the processes runs. */
export async function ended(pids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), patience);
}
