// Cleans up after a test run, even if that was killed. Call: node janitor.mjs FOLDER, with a pipe from the run as its
// stdin.
//
// The pipe ends when the run is gone. The janitor then kills the run's processes and removes its folder. A process is
// the run's if it was started with the run's folder for temporary files.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const [folder] = process.argv.slice(2);
await text(process.stdin);
for (const pid of leftProcesses()) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended by itself.
  }
}
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/** Lists the processes of the run: all of them on Linux, and the Postgres servers on other systems. */
function leftProcesses() {
  return existsSync("/proc/self/environ") ? processesOnLinux() : postgresServers();
}

function processesOnLinux() {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && environmentOf(pid).includes(`TMPDIR=${folder}`));
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function postgresServers() {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("postmaster.pid"))
    .map((file) => Number.parseInt(readFileSync(join(folder, file), "utf8"), 10));
}
