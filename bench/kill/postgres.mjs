// A throwaway Postgres server.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../free-port.mjs";

/**
 * Starts the server.
 *
 * @param {{ fsync?: boolean, settings?: string[] }} [options] With `fsync: true` a commit waits for the disk. That is off by
 *   default. `settings` are more of the server's, such as `max_connections=300`.
 * @returns {Promise<{ url: string, pid: () => number, restart: (signal: "SIGINT" | "SIGQUIT", pauseMs?: number) => Promise<void>, stop: () => Promise<void> }>}
 *   `restart` ends the server and starts it again. SIGINT ends it in order, and SIGQUIT at once, like a crash.
 */
export async function startPostgres({ fsync = false, settings = [] } = {}) {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "glassloop-kill-postgres-"));
  try {
    return await startIn(folder, programs, [`fsync=${fsync ? "on" : "off"}`, ...settings]);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

async function startIn(folder, programs, given) {
  const user = serverUser();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  execFileSync(join(programs, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...user,
    cwd: folder,
  });
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...given];
  const options = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const begin = () => launch(join(programs, "postgres"), options, { ...user, cwd: folder }, url);
  let server = await begin();
  return {
    url,
    pid: () => server.pid,
    async restart(signal, pauseMs = 0) {
      await server.end(signal);
      await sleep(pauseMs);
      server = await begin();
    },
    async stop() {
      await server.end("SIGINT");
      rmSync(folder, { recursive: true });
    },
  };
}

async function launch(program, options, place, url) {
  // In a group of its own, the server does not get the Ctrl-C of the terminal.
  const server = spawn(program, options, { ...place, stdio: "ignore", detached: true });
  const ended = once(server, "exit");
  for (let tries = 0; !(await answers(url)); tries += 1) {
    if (tries > 300 || server.exitCode !== null) {
      server.kill("SIGKILL");
      throw new Error("Postgres does not start.");
    }
    await sleep(50);
  }
  return {
    pid: server.pid,
    async end(signal) {
      server.kill(signal);
      await ended;
    },
  };
}

function findPrograms() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const [newest] = versions.sort((a, b) => Number(b) - Number(a));
  if (newest === undefined)
    throw new Error("There is no Postgres here. Give a server: --db postgres://USER@HOST/DATABASE");
  return join(debian, newest, "bin");
}

/** Returns the user for the server. Postgres refuses to run as root. */
function serverUser() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function answers(url) {
  const client = new pg.Client(url);
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
