import type { ListedThread, ThreadList } from "../wire.js";
import type { Change, Changes } from "./changes.js";
import { Observable } from "./observable.js";
import type { Requests } from "./requests.js";
import { sentenceFor } from "./server-error.js";

/** The threads that are loaded: those that wait for a person first, then the one written last first. */
export interface ListState {
  readonly threads: readonly ListedThread[];
  readonly text: string;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly problem?: string;
}

const PAGE = 50;
const MOST_OF_PAGE = 100;
const TYPING_MS = 200;
const SHOW_MS = 50;

/** The list of threads, and its changes. */
export class ListStore extends Observable<ListState> {
  #byId = new Map<string, ListedThread>();
  #waiting: string[] = [];
  #others: string[] = [];
  #next: string | null = null;
  #loading = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly server: { readonly requests: Requests; readonly changes: Changes }) {
    super({ threads: [], text: "", hasMore: false, isLoading: true });
  }

  /** Loads the list, and follows it. Returns how to stop that. */
  open(): () => void {
    const leave = this.server.changes.follow((change) => this.#take(change));
    void this.#load();
    return () => {
      leave();
      this.#loading.abort();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Shows the threads that have all words of a text. */
  search(text: string): void {
    if (text === this.get().text) return;
    this.set({ ...this.get(), text });
    void this.#load(TYPING_MS);
  }

  async loadMore(): Promise<void> {
    const after = this.#next;
    if (after === null || this.get().isLoading) return;
    this.set({ ...this.get(), isLoading: true });
    const { signal } = this.#loading;
    await this.#trying(signal, async () => this.#append(await this.#page(after, PAGE, signal)));
  }

  /** Loads as many threads as there were, from the first on. */
  async #load(waitMs = 0): Promise<void> {
    this.#loading.abort();
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    const wanted = Math.max(PAGE, waitMs > 0 ? 0 : this.#byId.size);
    this.set({ ...this.get(), isLoading: true });
    await this.#trying(signal, async () => {
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      signal.throwIfAborted();
      let page = await this.#page(undefined, Math.min(wanted, MOST_OF_PAGE), signal);
      const threads = [...page.threads];
      while (page.next !== null && threads.length < wanted) {
        page = await this.#page(page.next, MOST_OF_PAGE, signal);
        threads.push(...page.threads);
      }
      [this.#byId, this.#waiting, this.#others] = [new Map(), [], []];
      this.#append({ threads, next: page.next });
    });
  }

  async #trying(signal: AbortSignal, action: () => Promise<void>): Promise<void> {
    let problem: string | undefined;
    await action().catch((error: unknown) => {
      problem = sentenceFor(error);
    });
    if (!signal.aborted) this.#show({ isLoading: false, problem });
  }

  #page(after: string | undefined, limit: number, signal: AbortSignal): Promise<ThreadList> {
    const text = this.get().text.trim();
    const query = new URLSearchParams({ waiting: "first", limit: String(limit), ...(text && { text }) });
    if (after !== undefined) query.set("after", after);
    return this.server.requests.get(`glassloop/threads?${query}`, signal);
  }

  #append({ threads, next }: ThreadList): void {
    this.#next = next;
    for (const thread of threads) {
      // What changed since the page before stands at its new place already.
      if (!this.#byId.has(thread.id)) this.#groupOf(thread).push(thread.id);
      this.#byId.set(thread.id, thread);
    }
  }

  #groupOf({ status }: ListedThread): string[] {
    return status === "waiting" ? this.#waiting : this.#others;
  }

  #take(change: Change): void {
    if (change.type === "reload") return void this.#load();
    if (change.type === "deleted") this.#remove(change.id);
    else this.#place(change.thread);
    this.#timer ??= setTimeout(() => this.#show({}), SHOW_MS);
  }

  /** A thread that was written stands before all others of its group. Of one that is not known nobody knows whether it has the text. */
  #place(thread: ListedThread): void {
    const known = this.#byId.get(thread.id);
    if (known === undefined && this.get().text.trim() !== "") return;
    const stays = known?.updatedAt === thread.updatedAt && this.#groupOf(known) === this.#groupOf(thread);
    if (!stays) {
      this.#remove(thread.id);
      this.#groupOf(thread).unshift(thread.id);
    }
    this.#byId.set(thread.id, thread);
  }

  #remove(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    const group = this.#groupOf(known);
    group.splice(group.indexOf(id), 1);
    this.#byId.delete(id);
  }

  #show(news: Partial<ListState>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const threads = [...this.#waiting, ...this.#others].flatMap((id) => this.#byId.get(id) ?? []);
    this.set({ ...this.get(), ...news, threads, hasMore: this.#next !== null });
  }
}
