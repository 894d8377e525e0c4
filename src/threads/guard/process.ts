import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { basename } from "node:path";
import { attempted } from "../../base/attempted.js";
import { codeOf } from "../../base/message-of.js";

/** The identity of a process, or of a worker thread in it, which no other one has. */
export interface ProcessIdentity {
  /** The machine since its last start, and the space that its process ids belong to. A container has its own space. */
  readonly host: string;
  readonly pid: number;
  /**
   * The start of the process, in the system's own words; empty if the system does not tell it. An id alone is not enough,
   * because systems use ids again. For a worker thread (`node:worker_threads`) it is the start and the id of the thread,
   * which may end before its process.
   */
  readonly started: string;
}

/** Returns the identity of this process, or of the worker thread that calls. */
export function thisProcess(): ProcessIdentity {
  const { pid } = process;
  const link = attempted(() => readlinkSync("/proc/thread-self")) ?? "";
  const thread = link.startsWith(`${pid}/task/`) ? basename(link) : `${pid}`;
  const started = statusOf(pid, thread)?.started ?? "";
  return { host: hostOf(), pid, started: thread === `${pid}` ? started : `${started} ${thread}` };
}

/**
 * Tells whether a process has certainly ended. The answer is false if that cannot be known. Example: the process is on
 * another host. Another example: its id is in use, and the system does not tell when that process started.
 */
export function hasEnded({ host, pid, started }: ProcessIdentity): boolean {
  if (host !== hostOf()) return false;
  if (!isAlive(pid)) return true;
  if (statusOf(pid) === undefined) return false;
  const [start, thread] = started.split(" ");
  const status = statusOf(pid, thread);
  return status === undefined || status.isZombie || (start !== "" && status.started !== start);
}

/** Returns the name of the machine, as people know it. */
export function hostnameOf({ host }: ProcessIdentity): string {
  return host.split(" ")[0] ?? host;
}

/** A system may not have these files. */
function hostOf(): string {
  const boot = attempted(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const processIds = attempted(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot ?? "", processIds ?? ""].join(" ");
}

/**
 * Reads the state of a thread and its start, in clock ticks since the start of the machine. Only Linux tells them.
 *
 * @param thread The system's id of the thread. Default: the main thread, which has the id of the process.
 */
function statusOf(
  pid: number,
  thread = `${pid}`,
): { readonly isZombie: boolean; readonly started: string } | undefined {
  const status = attempted(() => readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8"));
  if (status === undefined) return undefined;
  // The second field is the program's name in brackets, and may hold anything. The text after it begins with the third
  // field.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return { isZombie: fields[0] === "Z", started: fields[22 - 3] ?? "" };
}

/** Tells whether a process is alive. Signal 0 only asks. A process of another user answers with EPERM. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
