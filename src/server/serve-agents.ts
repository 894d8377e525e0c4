import { z } from "zod";
import { InvalidOptionError, SetupError } from "../base/errors.js";
import { codeOf } from "../base/message-of.js";
import { checkedOptions, countOption, give, hasMethods } from "../base/options.js";
import { countRuns, ItemStore, ThreadCheckpointer, ThreadDirectory, type Threads } from "../threads/runs/index.js";
import type { Authenticate } from "./access/authenticate.js";
import type { ClientSettings } from "./access/client-settings.js";
import { StreamPlaces } from "./access/stream-places.js";
import { ProcessEngine } from "./engine/process-engine.js";
import { boundGraph, type GraphHolder, type ServedGraph } from "./engine/served-graph.js";
import { ThreadChanges } from "./engine/thread-changes.js";
import { Graphs } from "./graphs.js";
import { Health } from "./health.js";
import { listedForm } from "./routes/listed-form.js";
import type { ServerParts } from "./server-parts.js";
import { wireJson } from "./wire/wire-json.js";

/** The options of {@link serveAgents}. */
export interface ServerOptions {
  /**
   * The agents, other graphs of LangGraph, or agents of LangChain's `createAgent`, by the names that clients call them. The server
   * keeps their threads.
   */
  readonly agents: Readonly<Record<string, ServedGraph | GraphHolder>>;
  /** The threads, and the runs of the server. The caller closes them, after the server. */
  readonly threads: Threads;
  /**
   * Serves the page at `/`: threads, conversations and each step, in a browser. It needs no key, as it holds no data: it asks for
   * the key, and sends it. Default: true.
   */
  readonly page?: boolean;
  /** The path before that of each route, such as `/agents`. Default: none. */
  readonly basePath?: string;
  /** The names that clients call the server by, without a port, beside those of this machine. Default: none. */
  readonly allowedHosts?: readonly string[];
  /** The sites whose pages may use the server, such as `https://smith.langchain.com`. Default: only its own. */
  readonly origins?: readonly string[];
  /** The keys, one of which each request must have. Default: none, and requests need no key. */
  readonly keys?: readonly string[];
  /**
   * Tells who sends a request, and what they may. Each sees and changes only what is theirs, and what else they may see; another thread
   * does not exist for them. Default: nothing has an owner, and everybody may do everything.
   */
  readonly authenticate?: Authenticate;
  /** The parts of `context` and `configurable` that clients may give. Default: none. */
  readonly clientSettings?: ClientSettings;
  /** The largest body of a request, in bytes. Default: 4,000,000. */
  readonly maxBodyBytes?: number;
  /** The most runs at once in this process. Default: 100. Others wait. With 0 other processes on the database execute them. */
  readonly maxRuns?: number;
  /** The most runs of one owner that wait, and ten times the most that wait on one thread. Default: 1,000. */
  readonly maxQueuedRuns?: number;
  /** The most responses that stay open until a run has ended: streams of events, and `wait`. Default: 500. */
  readonly maxStreams?: number;
  /** The time for which the events of a run are kept after its end, in milliseconds. Default: an hour. */
  readonly keepEventsMs?: number;
  /** The time for which a run is listed after its end, in milliseconds. Default: as long as its thread. */
  readonly keepRunsMs?: number;
}

const texts = z.array(z.string().min(1)).optional();
const optionsSchema = z.strictObject({
  agents: z
    .record(
      z.string(),
      z.custom<ServedGraph | GraphHolder>(
        (value) => hasMethods(value, ["stream", "getState", "updateState"]),
        give("an agent"),
      ),
    )
    .refine((agents) => Object.keys(agents).length > 0, "give at least one agent, such as { support: agent }."),
  threads: z.custom<Threads>((value) => hasMethods(value, ["list", "history"]), give("the threads of openThreads")),
  page: z.boolean(give("true or false")).optional(),
  basePath: z.string().startsWith("/", give('a path that begins with "/", such as "/agents"')).optional(),
  allowedHosts: texts,
  origins: texts,
  keys: texts,
  authenticate: z.custom<Authenticate>((value) => typeof value === "function", give("a function")).optional(),
  clientSettings: z.union([z.literal("all"), z.array(z.string())], give('a list of names, or "all"')).optional(),
  maxBodyBytes: countOption.optional(),
  maxRuns: z.union([z.literal(0), countOption]).optional(),
  maxQueuedRuns: countOption.optional(),
  maxStreams: countOption.optional(),
  keepEventsMs: countOption.optional(),
  keepRunsMs: countOption.optional(),
});

/** A server without a socket: what answers requests. */
export interface AgentServer {
  /** Answers a request. Give it to `@hono/node-server`, or to a route of Hono, Express or Next. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /**
   * Takes no further request, lets the steps in hand end, and leaves the other runs to be resumed.
   *
   * @param drainMs The time for steps in hand, in milliseconds. Default: 30,000.
   * @returns Whether they ended in that time. One that did not runs again when its run is resumed.
   */
  close(drainMs?: number): Promise<boolean>;
}

/**
 * Serves agents over HTTP to LangGraph's clients: its SDK, `useStream`, chat pages and Studio. It needs the package `hono`. Its
 * runs are rows in the database of the threads: they go on after a crash, and readers come back to them. Several servers may
 * share one Postgres: each run is executed by one of them, and any of them stores and reads it.
 *
 * @throws InvalidOptionError; SetupError without the package `hono`
 * @example
 * import { serve } from "@hono/node-server";
 *
 * const threads = await openThreads("sqlite:threads.db");
 * const server = await serveAgents({ agents: { support: agent }, threads });
 * serve({ fetch: server.fetch, port: 2024 });
 */
export async function serveAgents(options: ServerOptions): Promise<AgentServer> {
  const checked = checkedOptions("serveAgents", optionsSchema, options);
  const { checkpointer } = checked.threads;
  if (!(checkpointer instanceof ThreadCheckpointer)) {
    throw new InvalidOptionError("serveAgents.threads", "give the threads that openThreads opened.");
  }
  const { makeApp } = await import("./app.js").catch(explainMissing);
  const graphs = new Map(
    Object.entries(checked.agents).map(([name, graph]) => [name, boundGraph(graph, checkpointer)] as const),
  );
  const engine = await ProcessEngine.start(checkpointer, graphs, {
    ...(checked.maxRuns !== undefined && { mostAtOnce: checked.maxRuns }),
    ...(checked.maxQueuedRuns && { mostQueued: checked.maxQueuedRuns }),
    ...(checked.keepEventsMs && { eventsMs: checked.keepEventsMs }),
    ...(checked.keepRunsMs && { runsMs: checked.keepRunsMs }),
  });
  const [named, directory] = [new Graphs(graphs), new ThreadDirectory(checkpointer)];
  const parts: ServerParts = {
    engine,
    graphs: named,
    threads: directory,
    changes: new ThreadChanges(checkpointer, directory, (thread) => wireJson(listedForm(thread, named).json)),
    streams: new StreamPlaces(checked.maxStreams ?? 500),
    clientSettings: checked.clientSettings ?? [],
    health: new Health(checkpointer, engine),
    storeOf: (owner) => new ItemStore(checkpointer.database, owner),
    countRuns: () => countRuns(checkpointer.database),
  };
  const app = makeApp(parts, checked);
  return {
    fetch: (request) => app.fetch(request),
    async close(drainMs = 30_000) {
      parts.health.end();
      await parts.changes.close();
      return engine.close(drainMs);
    },
  };
}

function explainMissing(error: unknown): never {
  if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
  throw new SetupError("missing-package", "hono", "Servers", { cause: error });
}
