import { possibleWords } from "../../base/similar-word.js";
import { rewind } from "../../turns/go-back.js";
import { UsageError } from "../program/exit-codes.js";
import { ask } from "../screen/ask.js";
import type { TurnToRun } from "../session/run-turn.js";
import type { Session } from "../session/session.js";

/** A command that a person types in a chat, after a slash. */
interface SlashCommand {
  readonly usage: string;
  readonly help: string;
  /** @returns A turn to run, the end of the chat, or undefined for the next entry. */
  run(session: Session, argument: string): Promise<TurnToRun | "leave" | undefined>;
}

/** The commands of a chat, by name. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    usage: "/help",
    help: "show these commands",
    async run({ io }) {
      const lines = Object.values(slashCommands).map(({ usage, help }) => `  ${usage.padEnd(18)}${help}\n`);
      io.stdout.write(`${lines.join("")}\n${otherLines}\n`);
      return undefined;
    },
  },
  regenerate: {
    usage: "/regenerate",
    help: "answer the last question again",
    run: (session) => againWith(session),
  },
  edit: {
    usage: "/edit [QUESTION]",
    help: "ask another question in place of the last one; without it, change that one",
    async run(session, typed) {
      const { io } = session;
      const { lastQuestion = "" } = (await session.threads.get(session.thread)) ?? {};
      const isAsked = typed === "" && io.stdin.isTTY && !lastQuestion.includes("\n");
      const question = isAsked ? await ask("Question: ", io, { draft: lastQuestion }) : typed;
      if (!question) throw new UsageError("Give the new question, such as: /edit What is 2 + 3?");
      return againWith(session, question);
    },
  },
  exit: { usage: "/exit", help: "leave; so does Ctrl-D", run: async () => "leave" },
};

const otherLines =
  "Any other entry is a question. A pasted text is one entry. A line that ends with \\ goes on in the next one.\n" +
  "Ctrl-C stops an answer, and clears the line; in an empty line it leaves.";

/**
 * Runs an entry that begins with a slash.
 *
 * @throws UsageError if there is no such command. Throws the errors of the command, too.
 */
export async function runSlashCommand(entry: string, session: Session): Promise<TurnToRun | "leave" | undefined> {
  const [typed = "", argument = ""] = entry.slice(1).split(/\s+(.*)/s, 2);
  const name = typed.toLowerCase();
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (command) return command.run(session, argument);
  const possible = possibleWords(name, Object.keys(slashCommands));
  throw new UsageError(`There is no command /${typed}. ${possible} To ask this, type a space before it.`);
}

/** Tells whether an entry is a command. A path such as `/etc/hosts` is none. */
export function isSlashCommand(entry: string): boolean {
  return /^\/[\w-]*(?=\s|$)/.test(entry);
}

async function againWith({ agent, threads, thread }: Session, question?: string): Promise<TurnToRun> {
  const from = await rewind(agent, thread, question === undefined ? {} : { question });
  const { lastQuestion = "" } = (await threads.get(thread)) ?? {};
  return { asked: question ?? lastQuestion, start: null, from };
}
