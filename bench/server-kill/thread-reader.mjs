// A reader of a thread over all its runs, by version 2 of the protocol. It leaves and comes back, as browsers do.
import { isDeepStrictEqual } from "node:util";
import { insist } from "./insist.mjs";

const channels = ["lifecycle", "values", "checkpoints", "messages", "tools", "input", "custom"];
/** The time without an event after which a thread is taken to be quiet, in milliseconds. */
const QUIET_MS = 3_000;

export class ThreadReader {
  events = [];
  #isLeaving = false;

  constructor(send, thread, random) {
    this.send = send;
    this.thread = thread;
    this.random = random;
  }

  /** Reads until it is told to leave and the thread is quiet, in as many connections as it takes. */
  async follow() {
    while (!(await this.#take().catch(() => false)));
  }

  leave() {
    this.#isLeaving = true;
  }

  /** Takes events in one connection. Returns whether it was the last one. */
  async #take() {
    const since = this.events.at(-1)?.seq ?? 0;
    const leaves = this.random() < 0.5;
    const connection = new AbortController();
    const response = await insist(() =>
      this.send(`http://server/threads/${this.thread}/stream/events`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ channels, since }),
        signal: connection.signal,
      }),
    );
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    let quiet = false;
    const timer = setInterval(() => {
      quiet = this.#isLeaving;
      if (quiet) connection.abort();
    }, QUIET_MS);
    try {
      for await (const event of eventsOf(response)) {
        this.events.push(event);
        timer.refresh();
        if (leaves && this.random() < 0.05) return false;
      }
      return false;
    } catch {
      return quiet;
    } finally {
      clearInterval(timer);
      connection.abort();
    }
  }
}

async function* eventsOf(response) {
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = `${rest}${piece}`.split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/** Counts the faults of what a reader got, beside one that comes when all is over. What was rolled back only the first one saw. */
export async function checkFollower({ send, thread, events }, { wasRolledBack }) {
  const last = new ThreadReader(send, thread, () => 1);
  last.leave();
  await last.follow();
  const ids = new Set(last.events.map(({ event_id }) => event_id));
  const seen = wasRolledBack ? events.filter(({ event_id }) => ids.has(event_id)) : events;
  const others = last.events.filter((event, index) => !isDeepStrictEqual(event, seen[index]));
  if (process.env.SHOW && others.length > 0) {
    const index = last.events.indexOf(others[0]);
    console.log(thread, index, JSON.stringify(seen[index])?.slice(0, 3000));
    console.log("   last:", JSON.stringify(others[0]).slice(0, 3000));
  }
  const otherProtocolEvents = others.length + Math.max(0, seen.length - last.events.length);
  return { protocolEvents: last.events.length, otherProtocolEvents };
}
