// Readers of a run's events. They leave and come back, as browsers do.
import { isDeepStrictEqual } from "node:util";
import { ignoreGone, insist } from "./insist.mjs";

/** A reader of one run. */
export class Reader {
  events = [];

  constructor(client, thread, random) {
    this.client = client;
    this.thread = thread;
    this.random = random;
  }

  /** Takes events until they end, or until the reader leaves. Returns whether the last one came. */
  async take(stream) {
    const leaves = this.random() < 0.5;
    for await (const { id, event, data } of stream) {
      if (event === "end") return true;
      this.events.push({ id, event, data });
      if (leaves && this.random() < 0.1) return false;
    }
    return false;
  }

  /** Reads a run on until its last event, in as many connections as it takes. Throws after two minutes. */
  async readOn(run) {
    for (const until = Date.now() + 120_000; Date.now() < until; ) {
      const lastEventId = this.events.at(-1)?.id ?? "-1";
      const stream = this.client.runs.joinStream(this.thread, run, { lastEventId });
      if (await this.take(stream).catch(() => false)) return;
      const row = await insist(() => this.client.runs.get(this.thread, run)).catch(ignoreGone);
      if (row === undefined) return;
    }
    throw new Error(`The run ${run} of ${this.thread} does not end.`);
  }
}

/** Counts the faults of what readers got, beside a reader that comes when all is over. */
export async function checkReaders(client, { thread, run, readers }) {
  const last = new Reader(client, thread, () => 1);
  await last.readOn(run);
  const found = { events: last.events.length, brokenOrders: 0, otherEvents: 0 };
  for (const { events } of [last, ...readers]) {
    found.brokenOrders += events.every(({ id }, index) => id === String(index)) ? 0 : 1;
    const isOther = (event, index) => !isDeepStrictEqual(event, last.events[index]);
    const others = events.filter(isOther);
    found.otherEvents += others.length + Math.abs(events.length - last.events.length);
    if (process.env.SHOW && others.length > 0) {
      const index = events.findIndex(isOther);
      console.log(thread, run, index, JSON.stringify(events[index]).slice(0, 3000));
      console.log("   last:", JSON.stringify(last.events[index])?.slice(0, 3000));
    }
  }
  return found;
}
