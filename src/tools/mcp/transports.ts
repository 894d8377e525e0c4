import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { inOneLine } from "../../base/shorten.js";
import { fetchWithDigits, keptDigits } from "./kept-digits.js";
import type { McpProcess, McpWebServer } from "./mcp-file.js";
import { sdk } from "./sdk.js";

const { getDefaultEnvironment, serializeMessage, StdioServerTransport, StreamableHTTPClientTransport } = sdk;

/** The time for a process to end by itself, at first after its stdin was closed and then after SIGTERM. */
const PATIENCE_MS = 2_000;

/** The longest line of a process, as in the SDK. */
const LONGEST_LINE = 10 * 1024 * 1024;

/** The longest time that the last messages to a server, such as a cancellation, may delay the end of a connection. */
const LAST_MESSAGES_MS = 1_000;

/**
 * The connection to an MCP server that is a process. The messages go through the SDK's transport for a pair of streams.
 * The SDK's own start of a process lacks four things:
 *
 * - The process has a process group of its own, so that Ctrl-C at the terminal does not reach it, and wrappers such as `npx`
 *   end together with the server that they started.
 * - The group also ends if this process is killed and the server overlooks that its stdin is closed.
 * - It does not keep this process alive. A call that is under way does.
 * - It knows how the process ended, and the last words on its stderr.
 */
export class StdioTransport extends StdioServerTransport {
  /** How the process ended and what it said, such as "exit code 1"; undefined while it runs. */
  end: string | undefined;
  readonly #child;
  readonly #ended: Promise<unknown>;

  constructor({ command, args, env, cwd }: McpProcess) {
    const child = spawn(command, args, {
      cwd,
      env: { ...getDefaultEnvironment(), ...env },
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    super(child.stdout.pipe(keptDigits(LONGEST_LINE)), child.stdin);
    this.#child = child;
    this.#ended = new Promise((ended) => child.once("close", ended));
  }

  override async start(): Promise<void> {
    const child = this.#child;
    await once(child, "spawn");
    const watchdog = startWatchdog(child);
    let lastWords = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      lastWords = (lastWords + text).slice(-300);
    });
    this.onerror = ({ message }) => {
      // A line that is no message is passed over: some servers print to stdout.
      if (!message.includes("exceeded maximum size")) return;
      lastWords = "a message that is too long";
      killGroup(child, "SIGKILL");
    };
    // A broken pipe is no news: the end of the process is told of in any case.
    child.stdin.on("error", () => {});
    child.once("exit", (code, signal) => {
      killGroup(child, "SIGKILL");
      watchdog.kill("SIGKILL");
      this.end = signal ?? `exit code ${code}`;
    });
    child.once("close", () => {
      if (lastWords.trim() !== "") this.end += `; it wrote: ${inOneLine(lastWords)}`;
      this.onclose?.();
    });
    for (const handle of handlesOf(child)) handle.unref();
    await super.start();
  }

  /** Sends a message. If the process has ended, the message is dropped: its end answers all open requests. */
  override async send(message: JSONRPCMessage): Promise<void> {
    await new Promise<void>((sent) => this.#child.stdin.write(serializeMessage(message), () => sent()));
  }

  /** Ends the process: asks it by closing its stdin, then by SIGTERM, and ends it by force at last. */
  override async close(): Promise<void> {
    if (this.#child.pid === undefined) return;
    for (const handle of handlesOf(this.#child)) handle.ref();
    this.#child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await Promise.race([this.#ended, delay(PATIENCE_MS, undefined, { ref: false })]);
      if (this.end === undefined) killGroup(this.#child, signal);
    }
    await this.#ended;
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
function killGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // They have all ended.
  }
}

/**
 * The connection to an MCP server on the web. The SDK's transport closes at once. This subclass first sends the last
 * messages, so that the server learns of a cancelled call, and ends the session at the server.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  #lastMessages: Promise<unknown> = Promise.resolve();

  constructor({ url, headers }: McpWebServer) {
    super(new URL(url), { requestInit: { headers }, fetch: fetchWithDigits });
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const sending = super.send(message, options);
    if (!("id" in message)) this.#lastMessages = Promise.allSettled([this.#lastMessages, sending]);
    return sending;
  }

  override async close(): Promise<void> {
    const last = this.#lastMessages.then(() => this.terminateSession()).catch(() => {});
    await Promise.race([last, delay(LAST_MESSAGES_MS, undefined, { ref: false })]);
    await super.close();
  }
}
