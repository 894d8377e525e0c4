import type { ListedThread } from "../wire.js";
import type { Connection } from "./connection.js";
import { readEvents } from "./event-stream.js";
import type { Send } from "./requests.js";

/** A change of the list of threads. `reload` says that some were missed. */
export type Change =
  | { readonly type: "reload" }
  | { readonly type: "thread"; readonly thread: ListedThread }
  | { readonly type: "deleted"; readonly id: string };

/** The changes of the list of threads: one stream for all who follow them. It is open while somebody does. */
export class Changes {
  readonly #followers = new Set<(change: Change) => void>();
  #reading: AbortController | undefined;
  #last: string | undefined;

  constructor(
    private readonly send: Send,
    private readonly connection: Connection,
  ) {}

  /** Tells of each change from now on. Returns how to stop that. */
  follow(take: (change: Change) => void): () => void {
    this.#followers.add(take);
    this.#open();
    return () => {
      this.#followers.delete(take);
      if (this.#followers.size === 0) this.pause();
    };
  }

  /** Closes the stream for a while. What is missed comes when it goes on. */
  pause(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  goOn(): void {
    if (this.#followers.size > 0) this.#open();
  }

  #open(): void {
    if (this.#reading) return;
    this.#reading = new AbortController();
    // A server that refuses the stream refuses all else, too, and says why.
    this.#read(this.#reading.signal).catch(() => this.pause());
  }

  async #read(signal: AbortSignal): Promise<void> {
    const open = (after: string | undefined, signal: AbortSignal) =>
      this.send("glassloop/changes", { signal, headers: after === undefined ? {} : { "Last-Event-ID": after } });
    for await (const { event, data, id } of readEvents(open, this.connection, signal, this.#last)) {
      this.#last = id || this.#last;
      const change = changeOf(event, data);
      if (change) for (const take of this.#followers) take(change);
    }
  }
}

function changeOf(event: string | undefined, data: string): Change | undefined {
  if (event === "reload") return { type: "reload" };
  if (event === "thread") return { type: "thread", thread: JSON.parse(data) };
  return event === "deleted" ? { type: "deleted", id: JSON.parse(data).id } : undefined;
}
