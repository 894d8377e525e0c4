// What happens to the processes and to their database while conversations go on. Each returns what it hit, and when.
import { setTimeout as sleep } from "node:timers/promises";

/** Kills a process, and starts it again. */
export async function kill({ fleet, takeovers, random, note }) {
  const member = fleet.members[Math.floor(random() * fleet.members.length)];
  const { pid } = member.process;
  const before = await takeovers?.heldBy(pid);
  const since = performance.now();
  await member.process.end("SIGKILL");
  note("kill", await heldAround(takeovers, pid, before), since);
  await fleet.restart(member);
}

/** Stops a worker for a while, as a machine does that sleeps. It knows nothing of that. */
export async function pause({ fleet, takeovers, random, note }, seconds) {
  const { pid } = anyOf(fleet.workers, random).process;
  const before = await untilHeld(takeovers, pid);
  const since = performance.now();
  process.kill(pid, "SIGSTOP");
  note("pause", await heldAround(takeovers, pid, before), since);
  await sleep(seconds * 1_000);
  process.kill(pid, "SIGCONT");
}

/** Lets nothing through between a worker and the database for a while. */
export async function stall({ fleet, takeovers, random, note }, seconds) {
  const { proxy, process } = anyOf(fleet.workers, random);
  const before = await untilHeld(takeovers, process.pid);
  const since = performance.now();
  proxy.stall();
  note("stall", await heldAround(takeovers, process.pid, before), since);
  await sleep(seconds * 1_000);
  proxy.goOn();
}

/** Stops the database, in order or at once, and starts it again. */
export async function restart({ postgres, takeovers, random, note }) {
  const before = await takeovers.heldBy();
  await postgres.restart(random() < 0.5 ? "SIGINT" : "SIGQUIT", random() < 0.5 ? 0 : random() * 6_000);
  note("restart", await heldAround(takeovers, undefined, before), performance.now());
}

/** Waits until a process has runs, and reads them. */
async function untilHeld(takeovers, pid) {
  for (;;) {
    const held = await takeovers.heldBy(pid);
    if (held.length > 0) return held;
    await sleep(20);
  }
}

/** Reads the runs of a process again: it may have taken some since. */
async function heldAround(takeovers, pid, before = []) {
  const now = (await takeovers?.heldBy(pid)) ?? [];
  return [...new Map([...before, ...now].map((run) => [run.id, run])).values()];
}

function anyOf(list, random) {
  return list[Math.floor(random() * list.length)];
}
