import { existsSync } from "node:fs";
import { type AgentServer, type ServerOptions, serveAgents } from "../../server/index.js";
import { openThreads, type Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { type ExitCode, exitCodes, UsageError } from "../program/exit-codes.js";
import { offeredModels, typedSettings } from "../program/settings.js";
import { openSession } from "../session/session.js";
import { loadLanggraphFile, loadModule, type NamedGraphs } from "./graph-files.js";
import { isLoopback, listen } from "./node-server.js";
import type { ProcessOptions } from "./process-options.js";

/** What is served: graphs, and the threads that they are kept on. */
interface Served extends AsyncDisposable {
  readonly agents: NamedGraphs;
  readonly threads: Threads;
  /** The settings that clients may give beside those of the options. */
  readonly settings?: readonly string[];
}

/** What is different between a server and a worker. */
interface Role {
  readonly forClients: Pick<ServerOptions, "origins" | "clientSettings" | "page">;
  answer(server: AgentServer): AgentServer["fetch"];
  /** Says what it does. @param names The names of the agents. */
  greeting(names: string, url: string): string;
  /** Called when it answers at its address. */
  started?(url: string): void;
}

/** Executes runs until a signal ends the process. Runs that are left then go on at the next start. */
export async function runProcess(
  file: string | undefined,
  options: ProcessOptions,
  io: Io,
  { forClients, answer, greeting, started }: Role,
): Promise<ExitCode> {
  const { host, keepRuns } = options;
  const { GLASSLOOP_SERVER_KEY: key = "" } = io.env;
  if (!isLoopback(host) && key === "") {
    throw new UsageError(
      `On ${host} others can reach the server, so it needs a key: set GLASSLOOP_SERVER_KEY, or leave out --host.`,
    );
  }
  // A server that gets no port takes no runs.
  await using listening = await listen(options);
  await using served = await openServed(file, options, io);
  const { clientSettings = [] } = forClients;
  const server = await serveAgents({
    agents: served.agents,
    threads: served.threads,
    keys: key === "" ? [] : [key],
    allowedHosts: [host, ...options.allowHost],
    maxRuns: options.maxRuns,
    maxQueuedRuns: options.maxQueuedRuns,
    keepEventsMs: options.keepEvents * HOUR_MS,
    ...(keepRuns !== undefined && { keepRunsMs: keepRuns * 24 * HOUR_MS }),
    ...forClients,
    clientSettings: clientSettings === "all" ? "all" : [...clientSettings, ...(served.settings ?? [])],
  });
  const signalled = endingSignal();
  listening.serve({ fetch: answer(server) });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}`;
  io.stderr.write(`${greeting(Object.keys(served.agents).join(", "), url)}\nThreads: ${served.threads.database}.\n`);
  started?.(url);
  const signal = await signalled;
  io.stderr.write("Ending. Steps in hand get their time; a second signal ends at once.\n");
  const isDrained = await server.close(options.drain * 1_000);
  if (signal !== "SIGTERM") return exitCodes.interrupted;
  return isDrained ? exitCodes.answered : exitCodes.terminated;
}

const HOUR_MS = 3_600_000;

const signals = ["SIGINT", "SIGTERM"] as const;

/** Waits for the first signal that asks the process to end. A second one, of either kind, ends it at once. */
function endingSignal(): Promise<(typeof signals)[number]> {
  return new Promise((resolve) => {
    function end(signal: NodeJS.Signals): void {
      for (const name of signals) process.off(name, end);
      resolve(signal === "SIGTERM" ? "SIGTERM" : "SIGINT");
    }
    for (const name of signals) process.on(name, end);
  });
}

async function openServed(file: string | undefined, options: ProcessOptions, io: Io): Promise<Served> {
  const found = file ?? (existsSync("langgraph.json") ? "langgraph.json" : undefined);
  if (found === undefined) return openOwnAgent(options, io);
  const [typed] = Object.keys(typedSettings(options));
  if (typed !== undefined) {
    const instead = file === undefined ? "serve in another folder" : "name no file";
    throw new UsageError(`${found} says how its graphs work. Leave out --${typed}, or ${instead}.`);
  }
  const agents = await (found.endsWith(".json") ? loadLanggraphFile(found) : loadModule(found));
  const threads = await openThreads(databaseUrl(options.db, io));
  return { agents, threads, [Symbol.asyncDispose]: () => threads.close() };
}

/** Makes the agent that the options describe, as `ask` does. */
async function openOwnAgent(options: ProcessOptions, io: Io): Promise<Served> {
  // Somebody can decide: with a client.
  const settings = io.env.GLASSLOOP_APPROVE ? options : { approve: "effects", ...options };
  const session = await openSession(settings, io);
  const { agent, threads, model } = session;
  const chosen = offeredModels(model).length > 1 ? ["model"] : [];
  return { agents: { agent }, threads, settings: chosen, [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() };
}
