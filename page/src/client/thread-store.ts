import { turnOfLines, turnOfWhole } from "../turn/kept-turn.js";
import { reduce } from "../turn/reduce.js";
import { shownTurns, withLive } from "../turn/shown-turns.js";
import type { Turn } from "../turn/turn.js";
import type { ListedThread, TurnBranch, TurnEvent, TurnList } from "../wire.js";
import type { Change, Changes } from "./changes.js";
import type { Connection } from "./connection.js";
import { readEvents } from "./event-stream.js";
import { Observable } from "./observable.js";
import type { Requests } from "./requests.js";
import { type RunEvent, readRunEvent } from "./run-event.js";
import { sentenceFor } from "./server-error.js";
import { loadWholeTurn } from "./whole-turn.js";

/** What is known of a thread that is open. */
export interface ThreadState {
  readonly id?: string;
  readonly listed?: ListedThread;
  readonly turns: readonly Turn[];
  readonly branches: readonly TurnBranch[];
  readonly hasOlder: boolean;
  readonly run?: string;
  readonly problem?: string;
}

/** A run, as the server lists it. */
interface ListedRun {
  readonly run_id: string;
  readonly status: string;
  readonly error?: { readonly name: string; readonly message: string };
}

/** Where a thread is, and how to hear of it. */
export interface Server {
  readonly requests: Requests;
  readonly connection: Connection;
  readonly changes: Changes;
}

const TURNS = 20;
const SHOW_MS = 50;

/** A thread that is open: it follows the thread, and does what a person wants there. */
export class ThreadStore extends Observable<ThreadState> {
  #id: string | undefined;
  #kept: ReadonlyMap<number, Turn> = new Map();
  #live: readonly Turn[] = [];
  /** The runs that have not ended, the oldest first, and those that have. */
  #runs: readonly string[] = [];
  readonly #ended = new Set<string>();
  #older: string | null = null;
  #following: AbortController | undefined;
  #lastEvent: string | undefined;
  #loading: Promise<void> | undefined;
  /** What is being loaded beside that. */
  readonly #parts = new Map<string, Promise<void>>();
  /** The question that was sent last, with the key by which the server knows it if it is sent again. */
  #asked: { readonly question: string; readonly key: string } | undefined;
  #isStale = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly server: Server,
    id: string | undefined,
  ) {
    super({ ...(id !== undefined && { id }), turns: [], branches: [], hasOlder: false });
    this.#id = id;
  }

  /** Follows the thread. Returns how to stop that. */
  open(): () => void {
    const leave = this.server.changes.follow((change) => this.#takeChange(change));
    if (this.#id !== undefined) this.#refresh();
    return () => {
      leave();
      this.#following?.abort();
      this.#following = undefined;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  // What a person wants. Each returns whether it was done; if not, `problem` says why.

  ask(question: string, agent: string): Promise<boolean> {
    const messages = [{ role: "user", content: question }];
    return this.#order(async () => {
      this.#id ??= await this.#make();
      // The answer to the request may have been lost, and a person asks again.
      if (this.#asked?.question !== question) this.#asked = { question, key: randomKey() };
      const body = { assistant_id: agent, input: { messages }, multitask_strategy: "enqueue" };
      await this.#run(`threads/${this.#path}/runs`, body, { "Idempotency-Key": this.#asked.key });
      this.#asked = undefined;
    });
  }

  answer(interrupt: string, value: unknown, agent: string): Promise<boolean> {
    const command = { resume: { [interrupt]: value } };
    return this.#order(() => this.#run(`threads/${this.#path}/runs`, { assistant_id: agent, command }));
  }

  regenerate(): Promise<boolean> {
    return this.#order(() => this.#run(`glassloop/threads/${this.#path}/regenerate`, {}));
  }

  goOn(): Promise<boolean> {
    return this.#order(() => this.#run(`glassloop/threads/${this.#path}/continue`, {}));
  }

  stop(): Promise<boolean> {
    return this.#order(async () => {
      const [run] = this.#runs;
      if (run) await this.server.requests.send(`threads/${this.#path}/runs/${run}/cancel`, { method: "POST" });
    });
  }

  // What a person wants to see.

  loadOlder(): Promise<void> {
    return this.#once("older", async () => {
      const before = this.#older;
      if (before === null) return;
      const { turns, next } = await this.#turns(`&before=${before}`);
      if (this.#older !== before) return;
      this.#older = next;
      this.#keep(turns.map(turnOfLines));
    });
  }

  loadWhole(number: number): Promise<void> {
    return this.#once(`turn ${number}`, async () => {
      if (!this.#kept.get(number)?.kept?.isWhole) this.#keep([await this.#whole(number)]);
    });
  }

  /** Loads something, unless that is being done. */
  #once(name: string, load: () => Promise<void>): Promise<void> {
    const loading =
      this.#parts.get(name) ??
      load()
        .then(
          () => this.#tell({}),
          (error: unknown) => this.#tell({ problem: sentenceFor(error) }),
        )
        .finally(() => this.#parts.delete(name));
    this.#parts.set(name, loading);
    return loading;
  }

  get #path(): string {
    return encodeURIComponent(this.#id ?? "");
  }

  async #order(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      this.#tell({ problem: undefined });
      return true;
    } catch (error) {
      this.#tell({ problem: sentenceFor(error) });
      this.#refresh();
      return false;
    }
  }

  async #make(): Promise<string> {
    const { thread_id } = await this.server.requests.post<{ thread_id: string }>("threads", {});
    return thread_id;
  }

  async #run(path: string, body: object, headers = {}): Promise<void> {
    const { run_id: run } = await this.server.requests.post<ListedRun>(
      path,
      { ...body, stream_mode: ["custom"] },
      headers,
    );
    if (this.#ended.has(run)) return this.#refresh();
    if (!this.#runs.includes(run)) this.#runs = [...this.#runs, run];
    this.#follow();
  }

  // What happens to the thread.

  #takeChange(change: Change): void {
    if (this.#id === undefined) return;
    if (change.type === "reload") this.#refresh();
    if (change.type === "deleted" && change.id === this.#id) this.#tell({ problem: "This thread was deleted." });
    if (change.type !== "thread" || change.thread.id !== this.#id) return;
    this.#tell({ listed: change.thread });
    // The events of its runs tell more.
    if (this.#following === undefined) this.#refresh();
  }

  #refresh(): void {
    this.#isStale = true;
    if (this.#id === undefined) return;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
  }

  async #load(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#loadOnce().catch((error: unknown) => this.#tell({ problem: sentenceFor(error) }));
    }
  }

  /** Loads the thread as it is kept now, and follows its runs. */
  async #loadOnce(): Promise<void> {
    const { requests } = this.server;
    const before = this.#runs;
    const [runs, listed, page] = await Promise.all([
      requests.get<ListedRun[]>(`threads/${this.#path}/runs?limit=20`),
      requests.get<ListedThread>(`glassloop/threads/${this.#path}`),
      this.#turns(),
    ]);
    const newest = page.turns.at(-1);
    const whole = newest && (await this.#whole(newest.number));
    for (const { run_id, status } of runs) if (!isActive(status)) this.#ended.add(run_id);
    // Some may have begun, or ended, meanwhile.
    const since = this.#runs.filter((run) => !before.includes(run));
    const active = runs.filter(({ status }) => isActive(status)).map(({ run_id }) => run_id);
    this.#runs = [...new Set([...active.toReversed(), ...since])].filter((run) => !this.#ended.has(run));
    const failure = listed.status === "failed" ? runs[0]?.error : undefined;
    this.#settle(page, whole && statusOf(whole, listed, this.#runs.length > 0, failure));
    this.#tell({ listed, branches: page.branches });
    if (this.#runs.length > 0) this.#follow();
    else this.#unfollow();
  }

  /** Puts the newest turns, as they are kept now, in the place of those that were shown. */
  #settle({ turns, next }: TurnList, newest: Turn | undefined): void {
    const [first] = turns;
    const last = [...this.#kept.keys()].at(-1) ?? -1;
    // Without those between it is another beginning.
    const isAnew = first === undefined || first.number > last + 1;
    if (isAnew) this.#older = next;
    const known = isAnew ? [] : [...this.#kept].filter(([number]) => number <= (newest?.number ?? -1));
    this.#kept = new Map(known);
    this.#keep([...turns.slice(0, -1).map(turnOfLines), ...(newest ? [newest] : [])]);
    // What a run told is kept by now, unless it was undone.
    this.#live = this.#runs.length === 0 ? [] : this.#live.filter((turn) => !this.#isKept(turn));
  }

  /** Tells whether a turn that ran is over, and kept as one that is over. */
  #isKept({ number, stopReason, waiting }: Turn): boolean {
    const known = this.#kept.get(number);
    const isOver = stopReason !== undefined || waiting.length > 0;
    return isOver && known !== undefined && (known.kept?.next.length === 0 || known.waiting.length > 0);
  }

  #turns(query = ""): Promise<TurnList> {
    return this.server.requests.get(`glassloop/threads/${this.#path}/turns?limit=${TURNS}${query}`);
  }

  async #whole(number: number): Promise<Turn> {
    return turnOfWhole(await loadWholeTurn(this.server.requests, `glassloop/threads/${this.#path}/turns/${number}`));
  }

  /** Puts turns in the place of those that are known. One that is whole stays if nothing was written since. */
  #keep(turns: readonly Turn[]): void {
    const kept = new Map(this.#kept);
    for (const turn of turns) {
      const known = kept.get(turn.number);
      const isSame = known?.kept?.isWhole && !turn.kept?.isWhole && known.kept.end === turn.kept?.end;
      const live = this.#live.find(({ number }) => number === turn.number) ?? known;
      if (!isSame) kept.set(turn.number, withLive(turn, live));
    }
    this.#kept = new Map([...kept].sort(([one], [other]) => one - other));
  }

  // The events of its runs.

  #follow(): void {
    this.#tell({});
    if (this.#following) return;
    this.#following = new AbortController();
    this.#read(this.#following.signal).catch((error: unknown) => {
      this.#unfollow();
      this.#tell({ problem: sentenceFor(error) });
    });
  }

  #unfollow(): void {
    this.#following?.abort();
    this.#following = undefined;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { requests, connection } = this.server;
    const open = (after: string | undefined, signal: AbortSignal) =>
      requests.send(`threads/${this.#path}/stream/events`, {
        method: "POST",
        body: JSON.stringify({ channels: ["custom", "lifecycle"] }),
        headers: after === undefined ? {} : { "Last-Event-ID": after },
        signal,
      });
    for await (const { data, id } of readEvents(open, connection, signal, this.#lastEvent)) {
      this.#lastEvent = id || this.#lastEvent;
      const event = readRunEvent(data);
      if (event && !this.#ended.has(event.run)) this.#takeEvent(event);
    }
  }

  #takeEvent(event: RunEvent): void {
    const { run } = event;
    if (event.type === "ended") {
      this.#ended.add(run);
      this.#runs = this.#runs.filter((one) => one !== run);
      const isTold = this.#live.at(-1)?.error !== undefined;
      this.#tell(event.error && !isTold ? { problem: event.error } : {});
      this.#refresh();
      return;
    }
    if (!this.#runs.includes(run)) this.#runs = [...this.#runs, run];
    if (event.type === "told") this.#takeTurnEvent(event.event);
    this.#tellSoon();
  }

  #takeTurnEvent(event: TurnEvent): void {
    const isResumed = event.type === "turn-start" && event.resumed && event.path.length === 0;
    const known = isResumed ? this.get().turns.find(({ number }) => number === event.number) : undefined;
    const isLive = known && this.#live.some(({ number }) => number === known.number);
    this.#live = reduce(known && !isLive ? [...this.#live, known] : this.#live, event);
  }

  // What the page shows.

  #tellSoon(): void {
    this.#timer ??= setTimeout(() => this.#tell({}), SHOW_MS);
  }

  #tell(news: Partial<ThreadState>): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const turns = shownTurns([...this.#kept.values()], this.#live);
    const state = { ...this.get(), ...news, turns, hasOlder: this.#older !== null };
    this.set({ ...state, id: this.#id, run: this.#runs[0] });
  }
}

function isActive(status: string): boolean {
  return status === "pending" || status === "running";
}

/** A browser draws ids only for secure addresses. */
function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** Says how the newest turn stands: what a run or another program does there, or how it ended. */
function statusOf(turn: Turn, { status }: ListedThread, isRun: boolean, failure: ListedRun["error"]): Turn {
  const { kept, waiting } = turn;
  const [node] = kept?.next ?? [];
  if (kept === undefined || node === undefined || waiting.length > 0) return turn;
  if (isRun || status === "running") return { ...turn, now: { node, since: kept.writtenAt } };
  if (status === "failed" || status === "interrupted")
    return { ...turn, stopReason: status, ...(failure && { error: failure }) };
  return turn;
}
