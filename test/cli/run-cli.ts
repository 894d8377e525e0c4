import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { readFileInFolder } from "../../src/cli/program/environment.js";
import { runProgram } from "./fake-io.js";

export interface CliOptions {
  /** What is piped into it; nothing unless given, and then its stdin stays open when it is `null`. */
  readonly input?: string | null;
  /** More of an environment that holds no key and no setting. */
  readonly env?: Readonly<Record<string, string>>;
  readonly entry?: "bin.js" | "start.js";
  /** Called with the process once it runs. */
  readonly during?: (child: ChildProcess) => void;
}

/** A folder to run in, removed when it is disposed. */
export type WorkingFolder = Awaited<ReturnType<typeof workingFolder>>;

/** Makes an empty folder for processes of the command line. */
export async function workingFolder() {
  const path = await mkdtemp(join(tmpdir(), "glassloop-cli-"));
  return {
    path,
    /** Runs the built command line in the folder and waits for its end. */
    run: (args: readonly string[], options?: CliOptions) => runCli(path, args, options),
    /** Runs it in this process, which is quicker. Only for tests that run one after the other. */
    runHere: (args: readonly string[], options?: Parameters<typeof runProgram>[1]) => runHere(path, args, options),
    /** The names of the files in it. */
    files: () => readdir(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** The path of a file that `npm run build` makes. The program is the bundle, as it is installed. */
export function built(entry: string): string {
  const folder = entry === "bin.js" ? "bundle/cli" : "cli";
  return fileURLToPath(new URL(`../../dist/${folder}/${entry}`, import.meta.url));
}

async function runHere(folder: string, args: readonly string[], options: Parameters<typeof runProgram>[1]) {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await runProgram(args, { fileInFolder: readFileInFolder, ...options });
  } finally {
    process.chdir(before);
  }
}

async function runCli(
  cwd: string,
  args: readonly string[],
  { input = "", env = {}, entry = "bin.js", during }: CliOptions = {},
) {
  const { PATH = "", SystemRoot = "" } = process.env;
  const child = spawn(process.execPath, [built(entry), ...args], { cwd, env: { PATH, SystemRoot, ...env } });
  if (input !== null) child.stdin.end(input);
  during?.(child);
  const ended = new Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  const stopped = () => "";
  const [stdout, stderr, end] = await Promise.all([text(child.stdout).catch(stopped), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}
