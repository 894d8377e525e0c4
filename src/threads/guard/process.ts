import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

/** A process, told apart from every other one. */
export interface ProcessIdentity {
  /** The machine since it was started, and the part of it in which process ids count (a container has its own). */
  readonly host: string;
  readonly pid: number;
  /** When the process began, in the system's own words; empty where the system does not say. Ids of processes are used again. */
  readonly started: string;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  return { host: hostOf(), pid: process.pid, started: statusOf(process.pid)?.started ?? "" };
}

/**
 * Whether a process has certainly ended. One of another host may have ended without this knowing it, and so may one whose
 * id is in use where the system does not say since when.
 */
export function hasEnded({ host, pid, started }: ProcessIdentity): boolean {
  if (host !== hostOf()) return false;
  if (!isAlive(pid)) return true;
  const status = statusOf(pid);
  return status !== undefined && (status.isZombie || (started !== "" && status.started !== started));
}

/** The name of the machine, as people know it. */
export function hostnameOf({ host }: ProcessIdentity): string {
  return host.split(" ")[0] ?? host;
}

function hostOf(): string {
  const boot = readSystem(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const processIds = readSystem(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot ?? "", processIds ?? ""].join(" ");
}

/** Linux tells the state of a process and its start, in clock ticks since the machine was started. */
function statusOf(pid: number): { readonly isZombie: boolean; readonly started: string } | undefined {
  const status = readSystem(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (status === undefined) return undefined;
  // The second field is the program's name, in brackets, and may hold anything. What follows begins with the third.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  return { isZombie: fields[0] === "Z", started: fields[22 - 3] ?? "" };
}

/** What only some systems have. */
function readSystem(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const systemError = z.object({ code: z.string() });

/** Signal 0 only asks. A process of another user answers with a refusal. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemError.safeParse(error).data?.code === "EPERM";
  }
}
