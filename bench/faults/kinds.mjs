// The kinds of faults. Each is a function that does it once to a round.
import { setTimeout as sleep } from "node:timers/promises";

const steps = [-3_600_000, -5_000, 5_000, 3_600_000];

export const kinds = {
  async kill(round) {
    await round.worker.kill();
    await round.renew();
  },
  /** Stops the worker. A rival takes the thread over, and the worker goes on during that or after it. */
  async takeover(round, random) {
    const { worker } = round;
    worker.freeze();
    const rival = await round.start("worker.mjs", { turns: 1 + Math.floor(random() * 2) });
    const moment = random() < 0.5 ? 15_000 : random() * 5_000;
    // A worker that was stopped in the middle of a write keeps others from SQLite's file. So the wait has an end.
    await Promise.race([rival.ended, sleep(moment, undefined, { ref: false })]);
    // It ends the turn that it is in, and would then take the thread again before the rival looks, turn after turn.
    worker.send("rest");
    worker.thaw();
    await rival.ended;
    worker.send("wake");
  },
  async clock(round, random) {
    round.worker.send(`clock ${steps[Math.floor(random() * steps.length)]}`);
  },
  /** Closes the threads between two turns, and opens them again. */
  async reopen(round) {
    round.worker.send("reopen");
  },
  /** Closes the threads in the middle of a turn, and opens them again. */
  async close(round) {
    round.worker.send("close");
  },
  /** Opens the threads twice in one process, and closes one of the two. */
  async second(round) {
    round.worker.send("second");
  },
  /** Lets another process open the threads, look and close them, again and again. */
  async visit(round) {
    const visitor = await round.start("visitor.mjs", { task: "look", milliseconds: 500 });
    await visitor.ended;
  },
  /** Lets one process prune the thread while another forks and copies it. */
  async copy(round) {
    const tasks = ["prune", "copy"].map((task) => round.start("visitor.mjs", { task, milliseconds: 1_000 }));
    for (const visitor of await Promise.all(tasks)) await visitor.ended;
  },
};

/** The kinds that need a server. */
export const serverKinds = {
  async stall(round, random) {
    const { way } = round.worker;
    way.stall();
    await sleep(random() * 4_000);
    way.goOn();
  },
  /** Breaks the connections of the worker, at times after a stall. */
  async cut(round, random) {
    const { way } = round.worker;
    if (random() < 0.5) way.stall();
    await sleep(random() * 1_000);
    way.cut();
    way.goOn();
  },
};

/** The kind that needs a server of the bench's own. */
export const restart = async (round, random) => round.place.restart(random() < 0.5 ? "SIGINT" : "SIGQUIT");
