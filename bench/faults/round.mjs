// One round: a thread, a worker that runs turns on it, and the faults that happen to them.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export class Round {
  thread = `faults-${randomUUID()}`;
  /** The numbers of the turns whose answers were given to a caller. */
  acknowledged = new Set();
  /** The copies of the thread, with the number of messages that they have at least. */
  copies = new Map();

  /** @param bench What all rounds share: `children`, `place`, `modelUrl`, `folder`, and `draw` for the numbers. */
  constructor(number, bench) {
    this.number = number;
    this.bench = bench;
    this.place = bench.place;
    this.file = join(bench.folder, `${number}.txt`);
  }

  /** Runs turns while faults happen. Then lets the worker end its turn, and itself. */
  async run(faults, random) {
    await this.renew();
    for (const fault of faults) {
      await sleep(random() * 800);
      if (this.worker.hasEnded) await this.renew();
      await fault(this, random);
    }
    await sleep(random() * 300);
    if (this.worker.hasEnded) await this.renew();
    this.worker.send("end");
    await this.worker.ended;
  }

  /** Starts a worker in place of the one that ended. */
  async renew() {
    this.worker = await this.start("worker.mjs", {});
  }

  async start(program, task) {
    const way = await this.place.way();
    const { bench, number, thread, file } = this;
    const job = { database: way.url, modelUrl: bench.modelUrl, run: number, thread, file, serial: bench.draw() };
    return bench.children.start(program, { ...job, turns: null, ...task }, way);
  }
}
