import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chown, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./free-port.js";
import { findPostgresBinaries } from "./postgres-binaries.js";

const run = promisify(execFile);

/** A Postgres server for tests. */
export interface TestPostgres {
  /** Makes a schema and returns its address. */
  createSchema(): Promise<{ readonly url: string; remove(): Promise<void> }>;
  /** Runs SQL as the server's owner and returns the rows. */
  query(sql: string): Promise<Record<string, unknown>[]>;
}

/** A Postgres server whose process is the test's own. */
export interface OwnPostgres extends TestPostgres {
  readonly url: string;
  /** Ends the server, as its administrator does, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the server that all tests share. TEST_POSTGRES_URL names it, and `test-run.ts` starts it. */
export function sharedPostgres(): TestPostgres {
  const url = process.env.TEST_POSTGRES_URL;
  if (!url) throw new Error("There is no TEST_POSTGRES_URL: run the tests with the project's own configuration.");
  return schemasOf(url);
}

/** Starts a throwaway server on a free port of 127.0.0.1. Its data is in a folder that is removed when it stops. */
export async function startPostgres(): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-postgres-"));
  const user = await serverUser();
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid);
  const programs = await reachable(await findPostgresBinaries(), folder, user);
  const data = join(folder, "data");
  await run(join(programs, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"], {
    ...user,
    cwd: folder,
    env: { ...process.env, LC_ALL: "C" },
  });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server = await launch(join(programs, "postgres"), data, port, url, user);
  const end = async () => {
    // SIGINT is a fast shutdown. It ends all sessions and undoes their open transactions.
    server.kill("SIGINT");
    await once(server, "exit");
  };
  return {
    url,
    ...schemasOf(url),
    async restart() {
      await end();
      server = await launch(join(programs, "postgres"), data, port, url, user);
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true });
    },
  };
}

interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Returns the user for the server. Postgres refuses to run as root. */
async function serverUser(): Promise<ServerUser & { uid?: number; gid: number }> {
  if (process.getuid?.() !== 0) return { gid: process.getgid?.() ?? 0 };
  const users = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (user === undefined) throw new Error("As root, the tests need a user postgres or nobody to run Postgres.");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/** Makes the programs readable for the server's user. Programs in a folder of root's are copied. */
async function reachable(programs: string, folder: string, { uid }: ServerUser): Promise<string> {
  if (uid === undefined || programs.startsWith("/usr/")) return programs;
  const copy = join(folder, "server");
  await mkdir(copy);
  await cp(dirname(programs), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, basename(programs));
}

async function launch(
  program: string,
  data: string,
  port: number,
  url: string,
  user: ServerUser,
): Promise<ChildProcess> {
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=200"];
  const server = spawn(program, ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])], {
    ...user,
    cwd: data,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  for (let tries = 0; tries < 600; tries += 1) {
    if (server.exitCode !== null) throw new Error(`Postgres ended at once:\n${log}`);
    if (await answers(url)) return server;
    await sleep(50);
  }
  server.kill("SIGKILL");
  throw new Error(`Postgres does not answer:\n${log}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    await queryAt(url, "select 1");
    return true;
  } catch {
    return false;
  }
}

async function queryAt(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function schemasOf(url: string): TestPostgres {
  return {
    query: (sql) => queryAt(url, sql),
    async createSchema() {
      const schema = `glassloop_${randomUUID().replaceAll("-", "")}`;
      await queryAt(url, `create schema ${schema}`);
      const own = new URL(url);
      own.searchParams.set("options", `-c search_path=${schema}`);
      return {
        url: own.href.replaceAll("+", "%20"),
        remove: async () => {
          await queryAt(url, `drop schema ${schema} cascade`);
        },
      };
    },
  };
}
