import type { Entry, ListVersion } from "./list-version.js";
import { LongTexts } from "./long-texts.js";
import type { Serialized } from "./serialize.js";

/** The content of a channel at a version. `rows` counts the rows it is read from: its own, and those it is based on. */
export type ChannelVersion =
  | { readonly kind: "absent" }
  | { readonly kind: "plain"; readonly serialized: Serialized }
  | { readonly kind: "list"; readonly list: ListVersion; readonly rows: number }
  | {
      readonly kind: "object";
      readonly shell: Serialized;
      readonly lists: ReadonlyMap<string, ListVersion>;
      readonly rows: number;
    };

/** Returns the number of rows that a version with lists is read from; 0 for any other. */
export function rowsOf(version: ChannelVersion | undefined): number {
  return version !== undefined && "rows" in version ? version.rows : 0;
}

const RECENT_CHECKPOINTS = 64;
/** The characters that a part counts for, beside its content. They are about half of the bytes that it takes. */
const VERSION_OVERHEAD = 200;
const CHECKPOINT_OVERHEAD = 1000;
const CACHE_OVERHEAD = 1000;

/**
 * The entries of the objects in all caches. An object belongs to the cache that stored it last. One map for all caches,
 * because many weak maps slow the garbage collector down.
 */
const objects = new WeakMap<object, { readonly owner: object; readonly entry: Entry }>();

/**
 * A cache of one namespace of a thread: the values that this process read or wrote. Never stale, because versions never
 * repeat.
 */
export class ThreadCache {
  readonly texts = new LongTexts();
  /** The versions of each channel. A version is a number, also where LangGraph gives it as text. */
  readonly #versions = new Map<string, Map<number, ChannelVersion>>();
  readonly #checkpoints = new Map<string, Readonly<Record<string, number | string>>>();
  /** The name of this cache in {@link objects}. */
  readonly #owner = {};
  readonly #texts = new Map<string, Entry>();
  #size = 0;

  /** The number of characters that this keeps in memory, roughly. */
  get size(): number {
    return CACHE_OVERHEAD + this.#size + this.texts.size + this.#checkpoints.size * CHECKPOINT_OVERHEAD;
  }

  version(channel: string, version: number | string): ChannelVersion | undefined {
    return this.#versions.get(channel)?.get(Number(version));
  }

  /** Tells whether the channel is known to have a value at a version. A row that was absent may have come since. */
  hasValue(channel: string, version: number | string): boolean {
    return (this.version(channel, version)?.kind ?? "absent") !== "absent";
  }

  addVersion(channel: string, version: number | string, value: ChannelVersion): void {
    if (this.hasValue(channel, version)) return;
    const versions = this.#versions.get(channel) ?? new Map<number, ChannelVersion>();
    this.#versions.set(channel, versions.set(Number(version), value));
    this.#size += VERSION_OVERHEAD + contentSize(value);
  }

  /** Returns the versions of a checkpoint's channels; undefined if it is not among the 64 used last. */
  versionsAt(checkpointId: string): Readonly<Record<string, number | string>> | undefined {
    return this.#checkpoints.get(checkpointId);
  }

  addCheckpoint(checkpointId: string, versions: Readonly<Record<string, number | string>>): void {
    this.#checkpoints.delete(checkpointId);
    this.#checkpoints.set(checkpointId, versions);
    const [oldest] = this.#checkpoints.keys();
    if (this.#checkpoints.size > RECENT_CHECKPOINTS && oldest !== undefined) this.#checkpoints.delete(oldest);
  }

  /** Returns the entry of an element that was read from this thread or written to it. */
  entryOf(element: unknown): Entry | undefined {
    if (typeof element === "string") return this.#texts.get(element);
    const found = typeof element === "object" && element !== null ? objects.get(element) : undefined;
    return found?.owner === this.#owner ? found.entry : undefined;
  }

  addEntry(element: unknown, entry: Entry): void {
    if (typeof element === "string") this.#texts.set(element, entry);
    else if (typeof element === "object" && element !== null) {
      objects.set(element, { owner: this.#owner, entry });
    }
  }
}

function contentSize(value: ChannelVersion): number {
  if (value.kind === "absent") return 0;
  if (value.kind === "plain") return value.serialized.content.length;
  const lists = value.kind === "list" ? [value.list] : [...value.lists.values()];
  return lists.reduce((sum, { size }) => sum + size, 0);
}

const SIZE_LIMIT = 64_000_000;

/** The memory of a thread: a cache for each of its namespaces, and how often it was pruned when it was read last. */
interface KnownThread {
  readonly caches: Map<string, ThreadCache>;
  /** The size of the caches when they were measured last. */
  size: number;
  pruned?: number;
}

/** The caches of the threads that were used last. */
export class ThreadCaches {
  readonly #threads = new Map<string, KnownThread>();
  /** The threads whose caches may have grown since they were measured. */
  readonly #used = new Set<string>();
  #size = 0;

  /** @param sizeLimit The number of characters that all caches together may hold after {@link shrink}, roughly. */
  constructor(private readonly sizeLimit = SIZE_LIMIT) {}

  /** Returns the cache of a namespace of a thread, and makes it if there is none. The thread becomes the one used last. */
  of(thread: string, namespace: string): ThreadCache {
    const { caches } = this.#use(thread);
    const cache = caches.get(namespace) ?? new ThreadCache();
    caches.set(namespace, cache);
    return cache;
  }

  #use(thread: string): KnownThread {
    const known = this.#threads.get(thread) ?? { caches: new Map(), size: 0 };
    this.#threads.delete(thread);
    this.#threads.set(thread, known);
    this.#used.add(thread);
    return known;
  }

  /**
   * Drops the cache of a thread that was pruned since it was read, or whose id now belongs to a copy, because the
   * database may no longer have the cached values. A thread that was only written has not been pruned.
   */
  forgetPruned(thread: string, pruned: number): void {
    if ((this.#threads.get(thread)?.pruned ?? 0) !== pruned) this.forget(thread);
    this.#use(thread).pruned = pruned;
  }

  /**
   * Forgets a thread that does not exist or was deleted. An empty id means: its newest checkpoint was looked for and
   * not found.
   */
  forgetAbsent(thread: string, checkpointId: string): void {
    if (checkpointId === "") this.forget(thread);
  }

  forget(thread: string): void {
    this.#size -= this.#threads.get(thread)?.size ?? 0;
    this.#threads.delete(thread);
  }

  /**
   * Drops the caches of the threads that were used longest ago. Their values are read again when they are needed. A list
   * is then written with all its references, not only the new ones.
   */
  shrink(): void {
    for (const thread of this.#used) this.#measure(thread);
    this.#used.clear();
    for (const thread of this.#threads.keys()) {
      if (this.#size <= this.sizeLimit) return;
      this.forget(thread);
    }
  }

  #measure(thread: string): void {
    const known = this.#threads.get(thread);
    if (known === undefined) return;
    const size = sizeOf(known.caches);
    this.#size += size - known.size;
    known.size = size;
  }
}

function sizeOf(caches: ReadonlyMap<string, ThreadCache>): number {
  let size = 0;
  for (const cache of caches.values()) size += cache.size;
  return size;
}
