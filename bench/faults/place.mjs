// The database of a bench run, and the ways by which processes reach it.
import { join } from "node:path";
import { startPostgres } from "../kill/postgres.mjs";
import { startProxy } from "./proxy.mjs";

const direct = { stall() {}, goOn() {}, cut() {}, close() {} };

/**
 * Prepares the database.
 *
 * @param name `sqlite`, `postgres` (a throwaway server), or the address of a Postgres server.
 * @param folder The folder for an SQLite file.
 * @returns Its address; a function that makes a way to it for one process; and, for a throwaway server, `restart`.
 */
export async function openPlace(name, folder) {
  if (name === "sqlite") {
    const url = `sqlite:${join(folder, "threads.db")}`;
    return { url, isServer: false, way: async () => ({ ...direct, url }), stop: async () => {} };
  }
  const server = name === "postgres" ? await startPostgres() : undefined;
  const url = server?.url ?? name;
  return {
    url,
    isServer: true,
    way: () => startProxy(url),
    restart: server?.restart,
    stop: async () => server?.stop(),
  };
}
