import { GlassloopError } from "../../base/errors.js";
import type { Io, Output } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import type { SettingTexts } from "../program/settings.js";
import { type Colours, coloursFor } from "../screen/colours.js";
import { screenText } from "../screen/screen-text.js";
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

  /** Goes on with other settings, as with options of the command. */
  async change(changed: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.open(this.current.thread, { ...this.options, ...changed }, this.current.settings);
  }

  /** Goes on with a copy of the thread. Its settings are those of this chat. */
  async goOnWithCopy(thread: string): Promise<void> {
    await this.open(thread, this.options, this.current.settings);
  }

  /** Goes on with another thread, and with the settings that it keeps. */
  async goOnWith(thread: string): Promise<void> {
    const { db, show, json, quiet, verbose } = this.options;
    await this.open(thread, { db, show, json, quiet, verbose });
  }

  /**
   * Opens another session. The earlier ones stay open, as they hold the database.
   *
   * @param agreed The settings in place of those that the thread keeps. The person is not asked about them again.
   */
  private async open(thread: string, options: AgentCommandOptions, agreed?: SettingTexts): Promise<void> {
    const { threads, database } = this.current;
    const kept = await threads.get(thread);
    const found = kept && agreed ? { ...kept, settings: { values: agreed, imported: false } } : kept;
    const asking = agreed ? { ...options, threadSettings: "use" as const } : options;
    this.current = await openSession({ thread, database, threads, found }, asking, this.io);
    this.opened.push(this.current);
    this.knowsThread = this.current.isKept;
    this.options = options;
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

  say(text: string): void {
    this.screen.write(`${screenText(text)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.opened.reverse()) await session[Symbol.asyncDispose]();
  }
}
