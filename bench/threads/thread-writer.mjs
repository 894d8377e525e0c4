import { execFile } from "node:child_process";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sides } from "./sides.mjs";
import { questionOf, stepsOfTurn } from "./thread.mjs";

/**
 * The numbers of turns and of cold starts that are measured. The quickest one counts, because other work of the machine
 * only slows them.
 */
const turnsMeasured = 9;
const coldAttempts = 9;
/** The turns that do not count, on a thread of their own. Node.js compiles the code in them. */
const warmUpTurns = 50;
const coldScript = fileURLToPath(new URL("cold.mjs", import.meta.url));
const run = promisify(execFile);

/** A writer of the thread of a side, which measures it, too. */
export class ThreadWriter {
  #times = [];

  constructor(side, folder, opened) {
    this.side = side;
    this.folder = folder;
    this.opened = opened;
  }

  /** Opens a side. @param side The side's place in {@link sides}. */
  static async open(side, folder) {
    await mkdir(join(folder, "warm-up"), { recursive: true });
    const warmUp = await ThreadWriter.#in(join(folder, "warm-up"), side);
    await warmUp.#write(warmUpTurns);
    await warmUp.close();
    await mkdir(join(folder, "measured"));
    return ThreadWriter.#in(join(folder, "measured"), side);
  }

  static async #in(folder, side) {
    return new ThreadWriter(side, folder, await sides[side].open(join(folder, "threads.db")));
  }

  /** Writes turns up to this one. Returns the size of the thread, the time of a turn and that of a cold `getState`. */
  async writeTo(turn) {
    await this.#write(turn);
    return {
      megabytes: await this.#size(),
      turnTime: Math.min(...this.#times.slice(-turnsMeasured)),
      coldTime: await this.#coldTime(turn),
    };
  }

  close() {
    return this.opened.close();
  }

  async #write(turn) {
    while (this.#times.length < turn) this.#times.push(await this.#timeOfTurn(this.#times.length + 1));
  }

  async #timeOfTurn(turn) {
    const start = performance.now();
    const { messages } = await this.opened.graph.invoke(
      { messages: [{ role: "user", content: questionOf(turn) }] },
      { configurable: { thread_id: "t" }, durability: "sync", recursionLimit: 100 },
    );
    const time = performance.now() - start;
    checkLength(messages.length, turn);
    return time;
  }

  async #size() {
    const names = await readdir(this.folder);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(this.folder, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0) / 1_000_000;
  }

  /** Measures `getState` in new processes. */
  async #coldTime(turn) {
    const times = [];
    for (let attempt = 0; attempt < coldAttempts; attempt += 1) {
      const { stdout } = await run(process.execPath, [coldScript, this.side, join(this.folder, "threads.db")]);
      const { time, messages } = JSON.parse(stdout);
      checkLength(messages, turn);
      times.push(time);
    }
    return Math.min(...times);
  }
}

function checkLength(messages, turn) {
  const expected = turn * (2 + 2 * stepsOfTurn);
  if (messages !== expected) throw new Error(`After turn ${turn} there are ${messages} messages and not ${expected}.`);
}
