import { Observable } from "./observable.js";

/** Whether the server answers. `againAt` is when it is tried again, in milliseconds since 1970. */
export type ConnectionState = { readonly isGone: false } | { readonly isGone: true; readonly againAt: number };

const there: ConnectionState = { isGone: false };
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** What the streams of the page know of the server. A stream that breaks waits here, and longer each time, before it is tried again. */
export class Connection extends Observable<ConnectionState> {
  /** When the streams that broke are tried again. */
  readonly #waiting = new Map<object, number>();
  #now = new AbortController();

  constructor() {
    super(there);
  }

  /** Tells that a stream is there again. */
  answered(stream: object): void {
    this.#waiting.delete(stream);
    this.#tell();
  }

  /** Waits before a stream that broke is tried again. One that broke for the first time is no sign that the server is gone. */
  async wait(stream: object, failures: number, signal: AbortSignal): Promise<void> {
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (1 - Math.random() / 4);
    if (failures > 1) this.#waiting.set(stream, Date.now() + ms);
    this.#tell();
    await pause(ms, AbortSignal.any([signal, this.#now.signal]));
    if (signal.aborted) this.answered(stream);
  }

  /** Has all streams that wait tried now. */
  tryNow(): void {
    this.#now.abort();
    this.#now = new AbortController();
  }

  #tell(): void {
    const times = [...this.#waiting.values()];
    this.set(times.length === 0 ? there : { isGone: true, againAt: Math.min(...times) });
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
