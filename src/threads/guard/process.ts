import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { attempted } from "../../base/attempted.js";
import { codeOf } from "../../base/message-of.js";

/** The identity of a process, which no other process has. */
export interface ProcessIdentity {
  /** The machine since its last start, and the space that its process ids belong to. A container has its own space. */
  readonly host: string;
  readonly pid: number;
  /**
   * The start of the process, in the system's own words; empty if the system does not tell it. An id alone is not
   * enough, because systems use ids again.
   */
  readonly started: string;
}

/** Returns the identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { host: hostOf(), pid: process.pid, started: statusOf(process.pid)?.started ?? "" };
}

/**
 * Tells whether a process has certainly ended. The answer is false if that cannot be known. Example: the process is on
 * another host. Another example: its id is in use, and the system does not tell when that process started.
 */
export function hasEnded({ host, pid, started }: ProcessIdentity): boolean {
  if (host !== hostOf()) return false;
  if (!isAlive(pid)) return true;
  const status = statusOf(pid);
  return status !== undefined && (status.isZombie || (started !== "" && status.started !== started));
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

/** Reads the state of a process and its start, in clock ticks since the start of the machine. Only Linux tells them. */
function statusOf(pid: number): { readonly isZombie: boolean; readonly started: string } | undefined {
  const status = attempted(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
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
