import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { freePort } from "../helpers/free-port.js";

export type DevServer = Awaited<ReturnType<typeof startDevServer>>;

/** In milliseconds. The first start installs the server. */
const longestStart = 360_000;
const longestEnd = 100_000;

/**
 * Starts `npm run dev:langgraph` on a free port, as a real process. It keeps its threads in a folder of the test, which gets a
 * langgraph.json with the graphs of the project.
 */
export async function startDevServer(folder: string, env: Readonly<Record<string, string>>) {
  const config = join(folder, "langgraph.json");
  if (!existsSync(config)) {
    writeFileSync(config, JSON.stringify(graphsOfProject()));
    // The server looks for LangGraph there.
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "junction");
  }
  const port = await freePort();
  // A group of its own, as at a terminal. Ctrl-C reaches each process of it.
  const server = spawn("npm", ["run", "dev:langgraph", "--", "--port", String(port), "--config", config], {
    env: { ...process.env, ...env, NO_COLOR: "1" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const group = -(server.pid ?? Number.NaN);
  const ended = once(server, "exit");
  const isOver = () => server.exitCode !== null || server.signalCode !== null;
  let output = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => (output += text));

  /** Ends the server as Ctrl-C does. Returns once no process of it is left. */
  async function stop(): Promise<void> {
    if (!isOver()) process.kill(group, "SIGINT");
    await ended;
    await until(
      "no process is left",
      () => processesWith(folder) === "",
      longestEnd,
      () => output,
    );
  }

  const url = `http://localhost:${port}`;
  const isUp = () => fetch(`${url}/ok`).then(({ ok }) => ok, isOver);
  try {
    await until("the server is up", isUp, longestStart, () => output);
    if (isOver()) throw new Error(`The server ended.\n${output}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, /** What the server printed. */ output: () => output, stop };
}

function graphsOfProject() {
  const { graphs, ...others } = z
    .looseObject({ graphs: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync("langgraph.json", "utf8")));
  return { ...others, graphs: Object.fromEntries(Object.entries(graphs).map(([name, path]) => [name, resolve(path)])) };
}

/** The processes whose command names a folder. */
function processesWith(folder: string): string {
  const lines = execFileSync("ps", ["-A", "-o", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(folder)).join("\n");
}

/** Waits until something is so. @throws What was printed, if it takes too long. */
async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  longest: number,
  printed: () => string,
): Promise<void> {
  const end = Date.now() + longest;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It took longer than ${longest} ms until ${what}.\n${printed()}`);
    await wait(100);
  }
}
