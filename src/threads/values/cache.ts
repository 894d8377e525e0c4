import type { Serialized } from "./serialize.js";

/** An element of a list, read when it is first asked for. */
export interface Entry {
  /** How it is written: the JSON of a {@link StoredEntry}. Equal elements of a thread have equal references. */
  readonly reference: string;
  /** The element as text; gone once it was read. */
  serialized: Serialized | undefined;
  /** The element, shared by all who read the list: to be treated as unchangeable, as LangGraph's channels do. */
  value?: unknown;
}

/** A version of a list: the first `kept` entries of `base`, then those `added`. */
export interface ListVersion {
  readonly base: ListVersion | undefined;
  readonly kept: number;
  readonly added: readonly Entry[];
}

/** What a channel held at a version. */
export type ChannelVersion =
  | { readonly kind: "absent" }
  | { readonly kind: "plain"; readonly serialized: Serialized }
  | { readonly kind: "list"; readonly list: ListVersion }
  | { readonly kind: "object"; readonly shell: Serialized; readonly lists: ReadonlyMap<string, ListVersion> };

/** All the entries of a list, in order. */
export function entriesOf(list: ListVersion): Entry[] {
  const chain: ListVersion[] = [];
  for (let version: ListVersion | undefined = list; version; version = version.base) chain.push(version);
  const entries: Entry[] = [];
  for (const version of chain.reverse()) {
    entries.length = version.kept;
    for (const entry of version.added) entries.push(entry);
  }
  return entries;
}

const RECENT_CHECKPOINTS = 64;
const VERSION_OVERHEAD = 200;

/** What this process has read or written of one namespace of a thread. Versions never repeat, so it is never out of date. */
export class ThreadCache {
  readonly #versions = new Map<string, ChannelVersion>();
  readonly #checkpoints = new Map<string, Readonly<Record<string, number | string>>>();
  readonly #objects = new WeakMap<object, Entry>();
  readonly #texts = new Map<string, Entry>();
  #size = 0;

  /** About how many characters this keeps in memory. */
  get size(): number {
    return this.#size;
  }

  version(channel: string, version: number | string): ChannelVersion | undefined {
    return this.#versions.get(`${version} ${channel}`);
  }

  addVersion(channel: string, version: number | string, value: ChannelVersion): void {
    const key = `${version} ${channel}`;
    const known = this.#versions.get(key);
    if (known !== undefined && known.kind !== "absent") return;
    this.#versions.set(key, value);
    this.#size += VERSION_OVERHEAD + contentSize(value);
  }

  /** The versions of the channels at a checkpoint, when it is one of the last that were read or written. */
  versionsAt(checkpointId: string): Readonly<Record<string, number | string>> | undefined {
    return this.#checkpoints.get(checkpointId);
  }

  addCheckpoint(checkpointId: string, versions: Readonly<Record<string, number | string>>): void {
    this.#checkpoints.delete(checkpointId);
    this.#checkpoints.set(checkpointId, versions);
    const [oldest] = this.#checkpoints.keys();
    if (this.#checkpoints.size > RECENT_CHECKPOINTS && oldest !== undefined) this.#checkpoints.delete(oldest);
  }

  /** The entry of an element that was read from this thread or written to it. */
  entryOf(element: unknown): Entry | undefined {
    if (typeof element === "string") return this.#texts.get(element);
    return typeof element === "object" && element !== null ? this.#objects.get(element) : undefined;
  }

  addEntry(element: unknown, entry: Entry): void {
    if (typeof element === "string") this.#texts.set(element, entry);
    else if (typeof element === "object" && element !== null) this.#objects.set(element, entry);
  }
}

function contentSize(value: ChannelVersion): number {
  if (value.kind === "absent") return 0;
  if (value.kind === "plain") return value.serialized.content.length;
  const lists = value.kind === "list" ? [value.list] : [...value.lists.values()];
  const entries = lists.flatMap((list) => list.added);
  return entries.reduce((size, entry) => size + entry.reference.length + (entry.serialized?.content.length ?? 0), 0);
}

const SIZE_LIMIT = 64_000_000;

/** The caches of the threads used last. */
export class ThreadCaches {
  readonly #caches = new Map<string, ThreadCache>();
  readonly #pruned = new Map<string, number>();

  /** @param sizeLimit About how many characters all caches together may hold once {@link shrink} was called. */
  constructor(private readonly sizeLimit = SIZE_LIMIT) {}

  /** The cache of a namespace of a thread, made when there is none. It becomes the one used last. */
  of(thread: string, namespace: string): ThreadCache {
    const key = `${thread}\0${namespace}`;
    const cache = this.#caches.get(key) ?? new ThreadCache();
    this.#caches.delete(key);
    this.#caches.set(key, cache);
    return cache;
  }

  /** Forgets a thread that was pruned since it was read: what is known of it may no longer be stored. */
  forgetPruned(thread: string, pruned: number): void {
    if ((this.#pruned.get(thread) ?? pruned) !== pruned) this.forget(thread);
    this.#pruned.set(thread, pruned);
  }

  /** Forgets a thread that is not there, or no longer: its newest checkpoint was asked for, and there was none. */
  forgetAbsent(thread: string, checkpointId: string): void {
    if (checkpointId === "") this.forget(thread);
  }

  forget(thread: string): void {
    this.#pruned.delete(thread);
    for (const key of this.#caches.keys()) if (key.startsWith(`${thread}\0`)) this.#caches.delete(key);
  }

  /** Drops what was used longest ago. What is dropped is read again, or written with all its references. */
  shrink(): void {
    let size = [...this.#caches.values()].reduce((sum, cache) => sum + cache.size, 0);
    for (const [key, cache] of this.#caches) {
      if (size <= this.sizeLimit) return;
      this.#caches.delete(key);
      size -= cache.size;
    }
  }
}
