import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Runs a bench that looks for harm. Returns what it counted, by the words that it prints. @throws All that it printed. */
export async function benchFigures(bench: string, ...options: string[]): Promise<Record<string, number>> {
  const program = fileURLToPath(new URL(`../../bench/${bench}.mjs`, import.meta.url));
  const run = promisify(execFile)(process.execPath, [program, ...options]);
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  const figures = [...stdout.matchAll(/^ {2}(\S.*?) {2,}(\d+)/gm)];
  return Object.fromEntries(figures.map(([, name, count]) => [name, Number(count)]));
}
