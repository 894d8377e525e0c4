import { GlassloopError } from "../../base/errors.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Io, Output } from "../io.js";
import type { AgentCommandOptions } from "../program/commands.js";
import { type Colours, coloursFor } from "../screen/colours.js";
import { screenText } from "../screen/screen-text.js";
import { tellAbsent } from "../session/notices.js";
import { openSession, type Session } from "../session/session.js";

function lostThread(thread: string): GlassloopError {
  return new GlassloopError(
    "lost-thread",
    `The thread "${thread}" was renamed or deleted meanwhile, so this was not asked: ` +
      "ask again to begin a new thread with this id, or go on with one that /threads lists.",
  );
}

/** What stays the same in a chat while its session is replaced by another one. */
export class Chat implements AsyncDisposable {
  /** True if the steps of turns are shown. */
  showsSteps: boolean;
  readonly colours: Colours;
  private readonly opened: Session[];
  private current: Session;
  private knowsThread: boolean;

  /**
   * @param options The options of the command. Commands of the chat change them.
   * @param screen The stream for what commands of the chat show.
   */
  constructor(
    first: Session,
    private options: AgentCommandOptions,
    readonly io: Io,
    readonly screen: Output,
  ) {
    this.opened = [first];
    this.current = first;
    this.knowsThread = first.isKept;
    this.showsSteps = options.show !== "answer";
    this.colours = coloursFor(screen, io.env);
  }

  /** The session that answers now. */
  get session(): Session {
    return this.current;
  }

  /**
   * Goes on with other settings, as with options of the command, or with another thread. The sessions before stay open, as
   * they hold the database.
   */
  async change(changed: Readonly<Record<string, string | undefined>>, thread = this.current.thread): Promise<void> {
    const { threads, database } = this.current;
    const options = { ...this.options, ...changed };
    const found = await threads.get(thread);
    this.current = await openSession({ thread, database, threads, found, goesOn: false }, options, this.io);
    this.opened.push(this.current);
    this.knowsThread = this.current.isKept;
    this.options = options;
  }

  /** Goes on with another thread. The options of the chat hold there, but not its model if that thread keeps another one. */
  async goOnWith({ id, settings }: ThreadSummary): Promise<void> {
    const isOfChat = settings?.model === undefined || settings.model === this.current.model;
    await this.change(isOfChat ? {} : { model: undefined, baseUrl: undefined, protocol: undefined }, id);
    tellAbsent(this.current, this.options, this.io);
  }

  /** Notes that the thread is there, as it has an answer. */
  noteAnswer(): void {
    this.knowsThread = true;
  }

  /** Looks whether the thread is still there. @throws GlassloopError "lost-thread" if it is not, but only once. */
  async checkThread(): Promise<void> {
    const { threads, thread } = this.current;
    const wasThere = this.knowsThread;
    this.knowsThread = (await threads.get(thread)) !== undefined;
    if (wasThere && !this.knowsThread) throw lostThread(thread);
  }

  /** Shows a text. The result is that of a command without a turn, which can end with this. */
  say(text: string): undefined {
    this.screen.write(`${screenText(text)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.opened.reverse()) await session[Symbol.asyncDispose]();
  }
}
