import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@langchain/langgraph-sdk";
import { onTestFinished } from "vitest";
import { built } from "./run-cli.js";

/** A process of `glassloop serve`, or `worker`, that answers requests. */
export interface ServeProcess {
  readonly url: string;
  readonly client: Client<Record<string, unknown>>;
  signal(name: NodeJS.Signals): void;
  /** Waits for the end. Returns what was written to stderr, and how the process ended. */
  ended(): Promise<{ readonly stderr: string; readonly exitCode: number | null; readonly signal: string | null }>;
}

/** Starts `glassloop serve` on a free port, for the test that runs. */
export function startServe(
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServeProcess> {
  return startProcess("serve", folder, args, env);
}

/** Starts `glassloop worker`, likewise. */
export function startWorker(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServeProcess> {
  return startProcess("worker", folder, args, env);
}

async function startProcess(
  command: "serve" | "worker",
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ServeProcess> {
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [built("bin.js"), command, ...args, "--port", "0"], {
    cwd: folder,
    env: { PATH, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  const stderr = text(child.stderr.setEncoding("utf8"));
  const url = await new Promise<string>((found, failed) => {
    let written = "";
    child.stderr.on("data", (piece: string) => {
      written += piece;
      const [, address] = /on (http:\S+:\d+)\. /.exec(written) ?? [];
      if (address !== undefined) found(address.replace("0.0.0.0", "127.0.0.1"));
    });
    child.once("close", () => failed(new Error(`The server did not start: ${written}`)));
  });
  return {
    url,
    client: new Client({ apiUrl: url, apiKey: env.GLASSLOOP_SERVER_KEY ?? null, callerOptions: { maxRetries: 0 } }),
    signal: (name) => void child.kill(name),
    async ended() {
      const [exitCode, signal] = await ended;
      return { stderr: await stderr, exitCode, signal };
    },
  };
}

/** Puts Glassloop, as it was built, and LangGraph into the node_modules of a folder. */
export function installPackages(folder: string): void {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(resolve("."), join(folder, "node_modules/glassloop"), "junction");
  for (const name of ["@langchain", "zod"]) {
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name), "junction");
  }
}

/** The environment in which a package cannot be found. */
export function without(name: string): { readonly NODE_OPTIONS: string } {
  const hooks = `export async function resolve(name, context, next) {
    if (name === "${name}" || name.startsWith("${name}/")) throw Object.assign(new Error("Cannot find " + name), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const url = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const program = `import { register } from "node:module"; register("${url}");`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}
