import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sharedPostgres } from "../helpers/postgres.js";

/** A database to run a test on. */
export interface TestDatabase {
  /** What {@link openThreads} is given; opening it again opens the same database, where `lasting` says so. */
  readonly url: string;
  remove(): Promise<void>;
}

export interface TestDatabaseKind {
  readonly name: string;
  /** Whether what was written can be opened again. */
  readonly lasting: boolean;
  create(): Promise<TestDatabase>;
}

export const memory: TestDatabaseKind = {
  name: "memory",
  lasting: false,
  create: async () => ({ url: "memory:", remove: async () => {} }),
};

export const sqlite: TestDatabaseKind = {
  name: "SQLite",
  lasting: true,
  async create() {
    const folder = await mkdtemp(join(tmpdir(), "glassloop-threads-"));
    return { url: `sqlite:${join(folder, "threads.db")}`, remove: () => rm(folder, { recursive: true }) };
  },
};

export const postgres: TestDatabaseKind = {
  name: "Postgres",
  lasting: true,
  create: () => sharedPostgres().createSchema(),
};

/** Every kind of database that threads can be kept in. */
export const databases: readonly TestDatabaseKind[] = [memory, sqlite, postgres];

/** Those that another process can open, too. */
export const lastingDatabases: readonly TestDatabaseKind[] = [sqlite, postgres];
