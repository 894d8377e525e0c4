import type { ClientSettings } from "./access/client-settings.js";
import type { ServerVariables } from "./access/owners.js";
import type { StreamPlaces } from "./access/stream-places.js";
import type { RunEngine } from "./engine/run-engine.js";
import type { Graphs } from "./graphs.js";

/** The environment of the routes in Hono. */
export interface ServerEnv {
  Variables: ServerVariables;
}

/** What the routes need. */
export interface ServerParts {
  readonly engine: RunEngine;
  readonly graphs: Graphs;
  readonly threads: ThreadRecords;
  readonly streams: StreamPlaces;
  readonly clientSettings: ClientSettings;
}

export interface ThreadRecord {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: "idle" | "busy" | "interrupted" | "error";
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ThreadQuery {
  readonly owner: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly status?: ThreadRecord["status"] | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly sortBy: "thread_id" | "status" | "created_at" | "updated_at";
  readonly descending: boolean;
}

export interface ThreadRecords {
  /** Makes a thread. @throws ThreadError "thread-exists" */
  create(thread: {
    readonly id: string;
    readonly owner: string | undefined;
    readonly metadata: Readonly<Record<string, unknown>>;
  }): Promise<ThreadRecord>;
  /** @throws ThreadError "thread-not-found", also for the thread of another owner. */
  get(id: string, owner: string | undefined): Promise<ThreadRecord>;
  patch(id: string, owner: string | undefined, metadata: Readonly<Record<string, unknown>>): Promise<ThreadRecord>;
  search(query: ThreadQuery): Promise<{ readonly found: readonly ThreadRecord[]; readonly total: number }>;
  copy(id: string, owner: string | undefined, newId: string): Promise<ThreadRecord>;
  delete(id: string, owner: string | undefined): Promise<void>;
}
