import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { getDefaultEnvironment } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { inOneLine } from "../../base/shorten.js";
import type { McpProcess } from "./servers.js";

/** The time for a process to end by itself, at first after its stdin was closed and then after SIGTERM. */
const PATIENCE_MS = 2_000;

/** The most characters that are kept of what a server last wrote to stderr. */
const LAST_WORDS = 300;

/**
 * The connection to an MCP server that is a process of its own. It is the SDK's connection, with four differences:
 *
 * - The process has a group of its own. So Ctrl-C at the terminal does not reach it, and wrappers such as `npx` end
 *   together with the server that they started.
 * - The group also ends if this process is killed and the server overlooks that its stdin is closed.
 * - It does not keep this process alive. A call that is under way does.
 * - It knows how the process ended, and the last words on its stderr.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onmessage?: Transport["onmessage"];
  /** How the process ended, such as "exit code 1"; undefined while it runs. */
  end: string | undefined;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #lastWords = "";
  readonly #received = new ReadBuffer();

  constructor(readonly server: McpProcess) {}

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.server;
    const child = spawn(command, args, {
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    await once(child, "spawn");
    this.#child = child;
    const watchdog = startWatchdog(child);
    this.#ended = new Promise((ended) => child.once("close", ended));
    child.once("exit", (code, signal) => {
      this.end = signal ?? `exit code ${code}`;
      killGroup(child, "SIGKILL");
      watchdog.kill("SIGKILL");
    });
    child.once("close", () => this.onclose?.());
    child.stdout.on("data", (data: Buffer) => this.#receive(data));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS);
    });
    // A broken pipe is no news: the end of the process is told of in any case.
    child.stdin.on("error", () => {});
    for (const handle of handlesOf(child)) handle.unref();
  }

  /** Sends a message. If the process has ended, the message is dropped: its end answers all open requests. */
  async send(message: JSONRPCMessage): Promise<void> {
    await new Promise<void>((sent) => this.#child?.stdin?.write(serializeMessage(message), () => sent()));
  }

  /** Ends the process: asks it by closing its stdin, then by SIGTERM, and ends it by force at last. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    for (const handle of handlesOf(child)) handle.ref();
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await Promise.race([this.#ended, delay(PATIENCE_MS, undefined, { ref: false })]);
      if (this.end !== undefined) break;
      killGroup(child, signal);
    }
    await this.#ended;
  }

  /** How the process ended and what it said, for an error. */
  describeEnd(): string {
    const words = inOneLine(this.#lastWords);
    return `${this.end}${words === "" ? "" : `; it wrote: ${words}`}`;
  }

  /** Takes messages out of the data. A line that is no message is dropped: some servers print to stdout. */
  #receive(data: Buffer): void {
    try {
      this.#received.append(data);
    } catch (error) {
      this.#lastWords = `a message that is too long (${error})`;
      if (this.#child) killGroup(this.#child, "SIGKILL");
    }
    for (;;) {
      try {
        const message = this.#received.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch {
        // The next line may be a message.
      }
    }
  }
}

/** The handles of a process that can keep this one alive. */
function handlesOf(child: ChildProcess): { ref(): void; unref(): void }[] {
  return [child, ...child.stdio.filter((stream) => stream instanceof Socket)];
}

/**
 * Starts a shell that waits until this process is gone, even if it was killed, and then ends the server's group. Servers
 * get the same time to end by themselves as in `close`. Where there is no `sh`, nothing happens.
 */
function startWatchdog({ pid }: ChildProcess): ChildProcess {
  const script = `read -r _; sleep ${PATIENCE_MS / 1_000}; kill -s KILL -- "-$1"`;
  const watchdog = spawn("sh", ["-c", script, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH },
    detached: true,
    windowsHide: true,
  });
  watchdog.on("error", () => {});
  for (const handle of handlesOf(watchdog)) handle.unref();
  return watchdog;
}

/** Sends a signal to a process and to those that it started; only to itself on Windows, which has no groups. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  // The number 0 would stand for the group of this process.
  if (!pid) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // They have all ended.
  }
}
