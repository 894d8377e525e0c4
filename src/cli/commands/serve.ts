import { existsSync } from "node:fs";
import { type AgentServer, type ServerOptions, serveAgents } from "../../server/index.js";
import { openThreads, type Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { type ExitCode, exitCodes, UsageError } from "../program/exit-codes.js";
import { typedSettings } from "../program/settings.js";
import { endingSignal } from "../serve/ending-signal.js";
import { loadLanggraphFile, loadModule, type NamedGraphs } from "../serve/graph-files.js";
import { isLoopback, listen } from "../serve/node-server.js";
import type { ServeOptions, WorkerOptions } from "../serve/serve-options.js";
import { openSession } from "../session/session.js";

/** What is served: graphs, and the threads that they are kept on. */
interface Served extends AsyncDisposable {
  readonly agents: NamedGraphs;
  readonly threads: Threads;
}

/** Serves agents to LangGraph's clients until a signal ends the process. Runs that are left then go on at the next start. */
export function serve(file: string | undefined, options: ServeOptions, io: Io): Promise<ExitCode> {
  const { origin, clientSettings } = options;
  const forClients = {
    origins: origin,
    clientSettings: clientSettings.includes("all") ? ("all" as const) : clientSettings,
  };
  return run(file, options, io, { forClients, answer: ({ fetch }) => fetch, greeting });
}

/** Executes runs of servers on the same database until a signal ends the process. */
export function work(file: string | undefined, options: WorkerOptions, io: Io): Promise<ExitCode> {
  if (options.maxRuns === 0) throw new UsageError("A worker executes runs. Give --max-runs a number from 1.");
  if (databaseUrl(options.db, io).startsWith("memory:"))
    throw new UsageError("A worker needs the database of its servers. Give --db postgres://…, as they have it.");
  return run(file, options, io, { forClients: {}, answer: aboutItself, greeting: workerGreeting });
}

/** What is different between a server and a worker. */
interface Role<Options> {
  readonly forClients: Pick<ServerOptions, "origins" | "clientSettings">;
  answer(server: AgentServer): AgentServer["fetch"];
  greeting(served: Served, url: string, options: Options): string;
}

async function run<Options extends WorkerOptions>(
  file: string | undefined,
  options: Options,
  io: Io,
  { forClients, answer, greeting }: Role<Options>,
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
  const server = await serveAgents({
    agents: served.agents,
    threads: served.threads,
    keys: key === "" ? [] : [key],
    allowedHosts: [host, ...options.allowHost],
    maxRuns: options.maxRuns,
    keepEventsMs: options.keepEvents * HOUR_MS,
    ...(keepRuns !== undefined && { keepRunsMs: keepRuns * 24 * HOUR_MS }),
    ...forClients,
  });
  const signalled = endingSignal();
  listening.serve({ fetch: answer(server) });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}`;
  io.stderr.write(greeting(served, url, options));
  const signal = await signalled;
  io.stderr.write("Ending. Steps in hand get their time; a second signal ends at once.\n");
  await server.close(options.drain * 1_000);
  return signal === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted;
}

const HOUR_MS = 3_600_000;

/** Answers only what tells of the process. */
function aboutItself({ fetch }: AgentServer): AgentServer["fetch"] {
  return (request) =>
    ["/health", "/metrics"].includes(new URL(request.url).pathname)
      ? fetch(request)
      : new Response("This is a worker. It answers /health and /metrics.\n", { status: 404 });
}

const studio = "https://smith.langchain.com";

function greeting({ agents, threads }: Served, url: string, { origin, maxRuns }: ServeOptions): string {
  return [
    `Serving ${Object.keys(agents).join(", ")} on ${url}. Ctrl-C ends.`,
    `Threads: ${threads.database}.`,
    ...(maxRuns === 0 ? ["Runs wait for a worker: glassloop worker, with the same --db."] : []),
    ...(origin.includes(studio) ? [`Studio: ${studio}/studio/?baseUrl=${url}`] : []),
    "",
  ].join("\n");
}

function workerGreeting({ agents, threads }: Served, url: string): string {
  return `Executing runs of ${Object.keys(agents).join(", ")}; /health and /metrics on ${url}. Ctrl-C ends.\nThreads: ${threads.database}.\n`;
}

async function openServed(file: string | undefined, options: WorkerOptions, io: Io): Promise<Served> {
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
async function openOwnAgent(options: WorkerOptions, io: Io): Promise<Served> {
  const place = { thread: "server", database: databaseUrl(options.db, io), threads: undefined, found: undefined };
  // Somebody can decide: with a client.
  const settings = io.env.GLASSLOOP_APPROVE ? options : { approve: "effects", ...options };
  const session = await openSession({ ...place, goesOn: false }, settings, io);
  return {
    agents: { agent: session.agent },
    threads: session.threads,
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
