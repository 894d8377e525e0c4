import { existsSync } from "node:fs";
import { serveAgents } from "../../server/index.js";
import { openThreads, type Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { type ExitCode, exitCodes, UsageError } from "../program/exit-codes.js";
import { typedSettings } from "../program/settings.js";
import { endingSignal } from "../serve/ending-signal.js";
import { loadLanggraphFile, loadModule, type NamedGraphs } from "../serve/graph-files.js";
import { isLoopback, listen } from "../serve/node-server.js";
import type { ServeOptions } from "../serve/serve-options.js";
import { openSession } from "../session/session.js";

/** What is served: graphs, and the threads that they are kept on. */
interface Served extends AsyncDisposable {
  readonly agents: NamedGraphs;
  readonly threads: Threads;
}

/** Serves agents to LangGraph's clients until a signal ends the process. Runs that are left then go on at the next start. */
export async function serve(file: string | undefined, options: ServeOptions, io: Io): Promise<ExitCode> {
  const { GLASSLOOP_SERVER_KEY: key = "" } = io.env;
  if (!isLoopback(options.host) && key === "") {
    throw new UsageError(
      `On ${options.host} others can reach the server, so it needs a key: set GLASSLOOP_SERVER_KEY, or leave out --host.`,
    );
  }
  // A server that gets no port takes no runs.
  await using listening = await listen(options);
  await using served = await openServed(file, options, io);
  const server = await serveAgents({
    agents: served.agents,
    threads: served.threads,
    keys: key === "" ? [] : [key],
    allowedHosts: [options.host, ...options.allowHost],
    origins: options.origin,
    clientSettings: options.clientSettings.includes("all") ? "all" : options.clientSettings,
  });
  const signalled = endingSignal();
  listening.serve(server);
  io.stderr.write(greeting(served, options, listening.port));
  const signal = await signalled;
  io.stderr.write("Ending. Steps in hand get their time; a second signal ends at once.\n");
  await server.close(options.drain * 1_000);
  return signal === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted;
}

const studio = "https://smith.langchain.com";

function greeting({ agents, threads }: Served, { host, origin }: ServeOptions, port: number): string {
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return [
    `Serving ${Object.keys(agents).join(", ")} on ${url}. Ctrl-C ends.`,
    `Threads: ${threads.database}.`,
    ...(origin.includes(studio) ? [`Studio: ${studio}/studio/?baseUrl=${url}`] : []),
    "",
  ].join("\n");
}

async function openServed(file: string | undefined, options: ServeOptions, io: Io): Promise<Served> {
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
async function openOwnAgent(options: ServeOptions, io: Io): Promise<Served> {
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
