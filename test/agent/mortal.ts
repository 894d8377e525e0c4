import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { pick } from "../helpers/random.js";

/** What may happen to a run: it is cancelled, or its process dies. `count` is the number of times that the place is passed. */
interface Mishap {
  readonly what: "tool" | "model" | "write";
  readonly isAfter: boolean;
  readonly isDeath: boolean;
  count: number;
}

/** The life of a process that runs an agent once. After its death it stores nothing any more. */
export class Life {
  isDead = false;
  /** True if the run was cancelled, or its process is dead. */
  isOver = false;
  /** True if a tool has begun, or the run has ended as it should: what it was given has been read then. */
  hasArrived = false;
  /** True if the run has ended as it should. */
  hasEnded = false;
  /** The numbers of the calls that had their effect. */
  readonly effects: number[] = [];
  /** The results of tools, by the numbers of their calls. */
  readonly results = new Map<number, string>();
  /** What is being stored: a process that is gone has stored it, or never will. */
  readonly #writes = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();
  readonly #mishap: Mishap | undefined;

  /** @param random Draws what happens to the run. Without it nothing does. */
  constructor(random: (() => number) | undefined) {
    if (random === undefined || random() < 0.4) return;
    const what = pick(["tool", "tool", "model", "write"] as const, random);
    const count = 1 + Math.floor(random() * (what === "write" ? 8 : 3));
    this.#mishap = { what, count, isAfter: random() < 0.5, isDeath: random() < 0.6 };
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  toString(): string {
    const { what, count, isAfter, isDeath } = this.#mishap ?? {};
    return what ? `${isDeath ? "dies" : "is cancelled"} ${isAfter ? "after" : "before"} ${what} ${count}` : "runs";
  }

  /** Passes a place in a tool or in the model. Throws if the run ends there. */
  async reach(what: Mishap["what"], isAfter = false): Promise<void> {
    if (!this.#isAt(what, isAfter)) return;
    this.#end();
    await Promise.resolve();
    throw this.signal.reason;
  }

  /** Returns a checkpointer that is of this life alone, apart from what it stores. */
  own(saver: BaseCheckpointSaver): BaseCheckpointSaver {
    return saver instanceof MemorySaver ? Object.create(saver) : saver;
  }

  /** Makes a checkpointer store nothing after the death. */
  guard(saver: BaseCheckpointSaver | boolean | undefined): void {
    if (typeof saver !== "object") throw new Error("There is no checkpointer.");
    const { put, putWrites } = saver;
    saver.put = (...given) => this.#write(() => put.apply(saver, given));
    saver.putWrites = (...given) => this.#write(() => putWrites.apply(saver, given));
  }

  async #write<Result>(write: () => Promise<Result>): Promise<Result> {
    if (this.isDead) throw new Error("The process is dead.");
    if (this.#isAt("write", false)) this.#end();
    if (this.isDead) throw new Error("The process is dead.");
    const writing = write();
    this.#writes.add(writing);
    const result = await writing;
    if (this.#isAt("write", true)) this.#end();
    if (this.isDead) throw new Error("The process is dead.");
    return result;
  }

  /** Waits until all that was being stored is stored. */
  async untilWritten(): Promise<void> {
    await Promise.allSettled(this.#writes);
  }

  #isAt(what: Mishap["what"], isAfter: boolean): boolean {
    const mishap = this.#mishap;
    if (mishap?.what !== what || mishap.isAfter !== isAfter) return false;
    mishap.count -= 1;
    return mishap.count === 0;
  }

  #end(): void {
    this.isOver = true;
    this.isDead = this.#mishap?.isDeath ?? false;
    this.#stop.abort(new Error("The run is over."));
  }
}
