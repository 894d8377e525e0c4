// One run: a thread with processes that work on it and are killed, until the plan is done.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { bundledProgram } from "../bundled-program.mjs";

const program = await bundledProgram(new URL("child.mjs", import.meta.url));

/**
 * Starts a process and waits until it begins to work.
 *
 * @returns {Promise<{ ended: Promise<{ code: number | null, error: string }>, kill: () => void }>}
 */
export async function startLife(job) {
  // Ctrl-C at a terminal is for the bench. The runs at work go on to their end.
  const stdio = ["ignore", "pipe", "pipe"];
  const child = spawn(process.execPath, [program, JSON.stringify(job)], { stdio, detached: true });
  let error = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    error += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code, error }));
  await Promise.race([once(child.stdout, "data"), ended]);
  return { ended, kill: () => child.kill("SIGKILL") };
}

/**
 * Lets processes work on a thread. Kills one of them, and some of those that follow it, unless the plan is done before.
 *
 * @param job The task of the processes.
 * @param options.random The function that draws the moments.
 * @param options.within The time within which a process is killed, in milliseconds.
 * @param options.processes The number of processes on the thread at once. All but the first only go on with unfinished
 *   turns.
 * @param options.onKill The function that is called after each kill, before another process goes on.
 */
export async function runToTheEnd(job, { random, within, processes, onKill }) {
  const jobs = Array.from({ length: processes }, (_, index) => ({ ...job, standby: index > 0 }));
  const lives = await Promise.all(jobs.map(startLife));
  do {
    await sleep(random() * within);
    const victim = Math.floor(random() * processes);
    lives[victim].kill();
    const { code, error } = await lives[victim].ended;
    if (code !== null && code !== 0) throw new Error(`The process ended by itself:\n${error}`);
    // The plan was done before the moment came.
    if (code === 0) break;
    await onKill();
    lives[victim] = await startLife(jobs[victim]);
  } while (random() < 0.3);
  for (const { ended } of lives) {
    const { code, error } = await ended;
    if (code !== 0) throw new Error(`The process ended with ${code}:\n${error}`);
  }
}
