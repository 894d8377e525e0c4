import { once } from "node:events";
import { existsSync } from "node:fs";
import { SetupError } from "../../base/errors.js";
import { codeOf } from "../../base/message-of.js";
import { openThreads, type Threads } from "../../threads/open.js";
import type { Io } from "../io.js";
import { databaseUrl } from "../program/addresses.js";
import { type ExitCode, exitCodes, UsageError } from "../program/exit-codes.js";
import { typedSettings } from "../program/settings.js";
import { loadLanggraphFile, loadModule, type NamedGraphs } from "../serve/graph-files.js";
import { isLoopback, listen } from "../serve/node-server.js";
import { openSession } from "../session/session.js";
import type { ServeOptions } from "./serve-command.js";

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
  const { serveAgents } = await import("../../server/index.js").catch(explainMissing);
  await using served = await openServed(file, options, io);
  const server = await serveAgents({
    agents: served.agents,
    threads: served.threads,
    keys: key === "" ? [] : [key],
    allowedHosts: [...(isLoopback(options.host) ? [] : [options.host]), ...options.allowHost],
    origins: options.origin,
    clientSettings: options.clientSettings.includes("all") ? "all" : options.clientSettings,
  });
  const listening = await listen(server, options);
  const names = Object.keys(served.agents).join(", ");
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  io.stderr.write(`Serving ${names} on http://${host}:${listening.port}. Threads: ${served.threads.database}.\n`);
  const signal = await Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name).then(() => name)));
  io.stderr.write("Ending. Steps in hand get their time; a second signal ends at once.\n");
  await server.close(options.drain * 1_000);
  await listening.close();
  return signal === "SIGTERM" ? exitCodes.terminated : exitCodes.interrupted;
}

async function openServed(file: string | undefined, options: ServeOptions, io: Io): Promise<Served> {
  const found = file ?? (existsSync("langgraph.json") ? "langgraph.json" : undefined);
  if (found === undefined) return openOwnAgent(options, io);
  const [typed] = Object.keys(typedSettings(options));
  if (typed !== undefined)
    throw new UsageError(`${found} says how its graphs work. Leave out --${typed}, or serve no file.`);
  const agents = await (found.endsWith(".json") ? loadLanggraphFile(found) : loadModule(found));
  const threads = await openThreads(databaseUrl(options.db, io));
  return { agents, threads, [Symbol.asyncDispose]: () => threads.close() };
}

/** Makes the agent that the options describe, as `ask` does. */
async function openOwnAgent(options: ServeOptions, io: Io): Promise<Served> {
  const place = { thread: "server", database: databaseUrl(options.db, io), threads: undefined, found: undefined };
  // Somebody can decide: with a client.
  const settings = { approve: "effects", ...options };
  const session = await openSession({ ...place, goesOn: false }, settings, io);
  return {
    agents: { agent: session.agent },
    threads: session.threads,
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

function explainMissing(error: unknown): never {
  if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
  throw new SetupError("missing-package", "hono", "Servers", { cause: error });
}
