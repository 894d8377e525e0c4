import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@langchain/langgraph-sdk";
import { expect, onTestFinished } from "vitest";
import { main } from "../../src/cli/main.js";
import { fakeIo } from "./fake-io.js";
import { built } from "./run-cli.js";

type Variables = Readonly<Record<string, string>>;

/** Starts `glassloop serve` or `worker` on a free port, for the test that runs. */
export async function startProcess(
  command: "serve" | "worker",
  folder: string,
  args: readonly string[] = [],
  env: Variables = {},
) {
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
      const [, address] = /(http:\S+:\d+)(?:\.| \(Ctrl-C)/.exec(written) ?? [];
      if (address !== undefined) found(address.replace("0.0.0.0", "127.0.0.1"));
    });
    child.once("close", () => failed(new Error(`The server did not start: ${written}`)));
  });
  return {
    url,
    client: clientOf(url, env),
    signal: (name: NodeJS.Signals) => void child.kill(name),
    /** Waits for the end. Returns what was written to stderr, and how the process ended. */
    async ended() {
      const [exitCode, signal] = await ended;
      return { stderr: await stderr, exitCode, signal };
    },
  };
}

function clientOf(url: string, { GLASSLOOP_SERVER_KEY: key }: Variables) {
  return new Client<Record<string, unknown>>({ apiUrl: url, apiKey: key ?? null, callerOptions: { maxRetries: 0 } });
}

/** Runs `glassloop serve` in this process until it is interrupted, at the latest when the test has finished. */
export async function serveHere(folder: string, args: readonly string[], env: Variables) {
  const before = process.cwd();
  process.chdir(folder);
  const io = fakeIo({ env });
  const others = process.rawListeners("SIGINT");
  const ended = main(["serve", ...args, "--port", "0"], io);
  const interrupt = () => {
    for (const listener of process.rawListeners("SIGINT"))
      if (!others.includes(listener)) listener.call(process, "SIGINT");
    return ended;
  };
  onTestFinished(async () => {
    await interrupt();
  });
  await expect.poll(() => io.stderr.text).toContain("Ctrl-C ends");
  process.chdir(before);
  const [url = ""] = /http:\S+:\d+/.exec(io.stderr.text.replace("0.0.0.0", "127.0.0.1")) ?? [];
  return { url, client: clientOf(url, env), interrupt };
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
