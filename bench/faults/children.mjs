// The processes of a bench run, seen from their parent.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundledProgram } from "../bundled-program.mjs";

const LONGEST_SILENCE_MS = 60_000;

/** The processes that were started and have not ended. None of them outlives the bench. */
export class Children {
  #running = new Set();
  #isOver = false;
  #watch = setInterval(() => this.#killSilent(), 1_000).unref();

  /** @param {{ heard: (line: string) => void, hung: () => void, crashed: (error: string) => void }} on */
  constructor(on) {
    this.on = on;
  }

  /** Starts a program of this folder, and waits until it says "ready" or has ended. */
  async start(program, job, way) {
    const path = await bundledProgram(new URL(program, import.meta.url));
    const child = new Child(path, job, way, this.on);
    this.#running.add(child);
    void child.ended.then(() => this.#running.delete(child));
    if (this.#isOver) await child.kill();
    await Promise.race([child.ready, child.ended]);
    return child;
  }

  /** Kills all, also those that are stopped, and those that are started later. */
  async end() {
    this.#isOver = true;
    clearInterval(this.#watch);
    await Promise.all([...this.#running].map((child) => child.kill()));
  }

  #killSilent() {
    for (const child of this.#running) {
      if (child.isFrozen || performance.now() - child.heardAt < LONGEST_SILENCE_MS) continue;
      this.on.hung();
      void child.kill();
    }
  }
}

class Child {
  heardAt = performance.now();
  isFrozen = false;
  hasEnded = false;
  #wasKilled = false;

  constructor(path, job, way, on) {
    this.way = way;
    this.process = spawn(process.execPath, [path, JSON.stringify(job)], { stdio: "pipe" });
    this.process.stdin.on("error", () => {});
    let error = "";
    this.process.stderr.setEncoding("utf8").on("data", (text) => {
      error += text;
    });
    this.ready = once(this.process.stdout, "data");
    createInterface(this.process.stdout).on("line", (line) => {
      // A process that only fails gets nowhere, as if it were silent.
      if (!line.startsWith("error ")) this.heardAt = performance.now();
      on.heard(line);
    });
    this.ended = once(this.process, "close").then(([code, signal]) => {
      this.hasEnded = true;
      way.close();
      if (!this.#wasKilled && code !== 0) on.crashed(`ended with ${code ?? signal}: ${error.slice(-2_000)}`);
    });
  }

  send(command) {
    this.process.stdin.write(`${command}\n`);
  }

  freeze() {
    this.isFrozen = true;
    this.process.kill("SIGSTOP");
  }

  thaw() {
    this.heardAt = performance.now();
    this.isFrozen = false;
    this.process.kill("SIGCONT");
  }

  async kill() {
    this.#wasKilled = true;
    this.process.kill("SIGKILL");
    await this.ended;
  }
}
