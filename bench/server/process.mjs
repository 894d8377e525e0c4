// Servers in processes of their own.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.mjs";

const serve = fileURLToPath(new URL("serve.mjs", import.meta.url));
const dev = fileURLToPath(new URL("../../studio/dev.mjs", import.meta.url));
const program = fileURLToPath(new URL("../../dist/bundle/cli/bin.js", import.meta.url));

/**
 * Starts the command `glassloop serve`, or `glassloop worker`, and waits until it listens.
 *
 * @param options.file The module with its agents.
 * @param options.db The address of its database.
 * @param options.port Its port.
 * @param options.env Variables for the agents.
 * @param options.options More options of the command.
 * @param options.before Words before the program, such as those of `env`.
 * @returns {Promise<{ pid: number, url: string, log: () => string, end: (signal: string) => Promise<void> }>}
 */
export async function startServer({ file, db, port, env = {}, command = "serve", options = [], before = [] }) {
  const given = [command, fileURLToPath(file), "--db", db, "--port", String(port), ...options];
  const [first, ...parameters] = [...before, process.execPath, program, ...given];
  // Ctrl-C at a terminal is for the bench.
  const child = spawn(first, parameters, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
    detached: true,
  });
  let log = "";
  const ended = once(child, "exit");
  await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      log += text;
      if (log.includes("Ctrl-C ends")) resolve();
    });
    ended.then(() => reject(new Error(`The server ended:\n${log}`)));
  });
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

/**
 * Starts `serve.mjs`, a server of the library, and waits until it listens.
 *
 * @param options Its database `db`, and options of `serveAgents`.
 * @param env Variables for its agents.
 */
export async function forkServer(options, env = {}) {
  const port = await freePort();
  const execArgv = ["--expose-gc", ...(process.env.SERVER_FLAGS?.split(" ") ?? [])];
  const given = JSON.stringify({ ...options, port });
  const child = fork(serve, [given], { execArgv, env: { ...process.env, ...env }, stdio: "inherit" });
  const ask = async (what) => {
    child.send(what);
    return (await once(child, "message"))[0];
  };
  await once(child, "message");
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    /** What it holds after a garbage collection, in MB. */
    memory: async () =>
      (({ rss, heapUsed }) => ({ rss: megabytes(rss), heap: megabytes(heapUsed) }))(await ask("memory")),
    async end() {
      child.send("end");
      await once(child, "exit");
    },
  };
}

const megabytes = (bytes) => bytes / 2 ** 20;

/**
 * Starts LangGraph's dev server with the plain graph, and waits until it listens.
 *
 * @param folder A folder for its files.
 * @param workers The most runs at once.
 */
export async function startLanggraph(folder, workers) {
  const port = await freePort();
  const config = join(folder, "langgraph.json");
  const graph = `${relative(folder, fileURLToPath(new URL("plain.mjs", import.meta.url)))}:plain`;
  writeFileSync(config, JSON.stringify({ node_version: "20", graphs: { plain: graph } }));
  const options = [
    "--port",
    String(port),
    "--config",
    config,
    "--n-jobs-per-worker",
    String(workers),
    "--no-reload",
    "--host",
    "127.0.0.1",
  ];
  const env = { ...process.env, LANGSMITH_TRACING: "false" };
  const child = spawn(process.execPath, [dev, ...options], { stdio: ["ignore", "ignore", "inherit"], env });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/ok`).catch(() => undefined))?.ok) await sleep(200);
  return {
    pid: child.pid,
    url,
    async end() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** The processor time of a process and its children so far, in seconds, and the largest memory that one of them had, in MB. */
export function usageOf(pid) {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const childrenOf = (parent) =>
    all.filter((one) => statOf(one)[1] === String(parent)).flatMap((child) => [child, ...childrenOf(child)]);
  const used = [String(pid), ...childrenOf(pid)].map((one) => {
    const [, , , , , , , , , , , ...ticks] = statOf(one);
    const peak = /VmHWM:\s+(\d+)/.exec(readText(`/proc/${one}/status`))?.[1] ?? 0;
    // Its own in user and system mode, and that of its children that have ended.
    return {
      seconds: ticks.slice(0, 4).reduce((sum, value) => sum + Number(value), 0) / 100,
      peak: Number(peak) / 1024,
    };
  });
  return {
    seconds: used.reduce((sum, { seconds }) => sum + seconds, 0),
    peak: Math.max(...used.map(({ peak }) => peak)),
  };
}

/** The fields of a process after its name, which may have blanks: its state, its parent, … */
const statOf = (pid) => readText(`/proc/${pid}/stat`).split(") ").at(-1).split(" ");

function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
