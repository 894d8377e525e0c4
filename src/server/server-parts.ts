import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { RunCounts, ThreadDirectory } from "../threads/runs/index.js";
import type { ClientSettings } from "./access/client-settings.js";
import type { ServerVariables } from "./access/owners.js";
import type { StreamPlaces } from "./access/stream-places.js";
import type { RunEngine } from "./engine/run-engine.js";
import type { ThreadChanges } from "./engine/thread-changes.js";
import type { Graphs } from "./graphs.js";
import type { Health } from "./health.js";

/** The environment of the routes in Hono. */
export interface ServerEnv {
  Variables: ServerVariables;
}

/** What the routes need. */
export interface ServerParts {
  readonly engine: RunEngine;
  readonly graphs: Graphs;
  readonly threads: ThreadDirectory;
  readonly changes: ThreadChanges;
  readonly streams: StreamPlaces;
  readonly clientSettings: ClientSettings;
  readonly health: Health;
  /** Returns the long-term store with what an owner has in it. */
  readonly storeOf: (owner: string | undefined) => BaseStore;
  /** Counts the runs of all servers on the database. */
  readonly countRuns: () => Promise<RunCounts>;
}
