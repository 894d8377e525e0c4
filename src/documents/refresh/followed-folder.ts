import { untilAborted } from "../../base/until-aborted.js";
import type { EmbeddingModel } from "../embedding/embedding-model.js";
import { findFolder } from "../folder/document-files.js";
import { FolderWatch } from "../folder/folder-watch.js";
import { DocumentIndex } from "../index/document-index.js";
import type { IndexProgress, IndexWork } from "../index-progress.js";
import { DocumentReader } from "../reading/document-reader.js";
import { type Refreshed, refresh } from "./refresh.js";

/** A folder whose look-through takes longer than this is not looked through at each search. */
const longLookMs = 1_000;
/** A walk that takes longer is repeated only after ten times as long. */
const restFactor = 10;

/** The folder, the index, and the model for vectors. */
interface FollowedFolderOptions {
  readonly folder: string;
  readonly index: string;
  readonly model: EmbeddingModel | undefined;
  /** The time in a search for reading new and changed documents, in milliseconds. Default: as long as the search may wait. */
  readonly readingTimeMs: number | undefined;
}

/** A search that waits for the index. */
export interface SearchWait {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The time that the search may take, in milliseconds. */
  readonly timeMs?: number | undefined;
  /** Called with how far the index is. */
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
}

/** The time for reading in a search that nobody limits. */
const usualReadingMs = 15_000;
/** The most time that is kept for the search itself, and for the document that is being read when the time is over. */
const longestReserveMs = 20_000;

/** An index that is up to date with its folder, as far as there was time. */
interface CurrentIndex {
  readonly index: DocumentIndex;
  /** The id of the folder in the index. */
  readonly id: number;
  readonly refreshed: Refreshed;
}

/** A folder in which a look found nothing new, and what the index was like then. */
interface SeenFolder {
  readonly watch: FolderWatch;
  readonly index: number;
  readonly refreshed: Refreshed;
}

/** A folder, and the index that follows it. The index is opened at the first use, and again after it was closed. */
export class FollowedFolder {
  readonly #reader = new DocumentReader();
  readonly #refreshing = new SharedWork<CurrentIndex>();
  #opened: Promise<DocumentIndex> | undefined;
  #last: { readonly current: CurrentIndex; readonly until: number } | undefined;
  #seen: SeenFolder | undefined;

  constructor(
    private readonly options: FollowedFolderOptions,
    private readonly lookThrough = refresh,
  ) {}

  /** Brings the index up to date for a search. Searches at the same time do so together, as long as all of them may wait. */
  async current(wait: SearchWait = {}): Promise<CurrentIndex> {
    if (this.#last && performance.now() < this.#last.until) return this.#last.current;
    const until = performance.now() + this.#readingTime(wait.timeMs);
    return this.#refreshing.join({ ...wait, until }, async (signal, waiting) => {
      const hasTime = () => [...waiting].every(({ until }) => performance.now() < until);
      const onProgress = (progress: IndexProgress) => {
        for (const { onProgress } of waiting) onProgress?.(progress);
      };
      const current = await this.refresh({ hasTime, signal, onProgress }, this.#seen);
      const { unread, unembedded, lookedMs } = current.refreshed;
      const mayRest = lookedMs > longLookMs && unread + unembedded === 0;
      this.#last = { current, until: mayRest ? performance.now() + restFactor * lookedMs : 0 };
      return current;
    });
  }

  #readingTime(limitMs = Infinity): number {
    const { readingTimeMs = limitMs === Infinity ? usualReadingMs : Infinity } = this.options;
    return Math.min(readingTimeMs, limitMs - Math.min(longestReserveMs, limitMs / 5));
  }

  /**
   * Brings the index up to date, as far as there is time.
   *
   * @param seen What an earlier look found. The folder is not looked through again if nothing has changed since.
   */
  async refresh(work: IndexWork, seen?: SeenFolder): Promise<CurrentIndex> {
    const folder = await findFolder(this.options.folder);
    const index = await this.#open();
    const id = await index.folder(folder);
    const version = await index.version();
    const isUnchanged = seen?.index === version && (await seen.watch.isUnchanged(folder));
    const watch = isUnchanged ? seen.watch : await FolderWatch.begin(folder);
    const refreshed = await this.lookThrough(index, {
      ...work,
      folder,
      id,
      reader: this.#reader,
      model: this.options.model,
      unchanged: isUnchanged ? seen.refreshed : undefined,
      watch,
    }).catch((error: unknown) => {
      watch.close();
      throw error;
    });
    if (this.#seen?.watch !== watch) this.#seen?.watch.close();
    this.#seen = { watch, index: version, refreshed };
    // Nobody tells that a folder can be listed again.
    if (!refreshed.isAsBefore || refreshed.others.closed.length > 0) watch.close();
    return { index, id, refreshed };
  }

  /** Ends the connection to the index. */
  async close(): Promise<void> {
    const closing = this.#opened;
    this.#opened = undefined;
    this.#last = undefined;
    this.#seen?.watch.close();
    this.#seen = undefined;
    const index = await closing?.catch(() => undefined);
    await Promise.all([index?.close(), this.#reader.close()]);
  }

  #open(): Promise<DocumentIndex> {
    const { index, model } = this.options;
    this.#opened ??= DocumentIndex.open(index, model !== undefined).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}

interface Waiter extends SearchWait {
  /** The time at which the work must end for this caller, on the clock of `performance`. */
  readonly until: number;
}

interface Work<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  readonly waiting: Set<Waiter>;
}

type Start<T> = (signal: AbortSignal, waiting: ReadonlySet<Waiter>) => Promise<T>;

/** Work that several callers wait for at the same time. It is stopped when none of them waits any more. */
class SharedWork<T> {
  #work: Work<T> | undefined;

  /**
   * Waits for the work that is under way, or starts it.
   *
   * @throws What the work throws; the reason of the caller's signal.
   */
  async join(waiter: Waiter, start: Start<T>): Promise<T> {
    waiter.signal?.throwIfAborted();
    this.#work ??= begun(start);
    const { result, stop, waiting } = this.#work;
    waiting.add(waiter);
    try {
      return await untilAborted(result, waiter.signal);
    } finally {
      waiting.delete(waiter);
      if (waiting.size === 0) {
        this.#work = undefined;
        stop.abort();
      }
    }
  }
}

function begun<T>(start: Start<T>): Work<T> {
  const stop = new AbortController();
  const waiting = new Set<Waiter>();
  return { result: start(stop.signal, waiting), stop, waiting };
}
