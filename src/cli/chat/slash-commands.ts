import { randomUUID } from "node:crypto";
import { promptOf } from "../../agent/prompt-of.js";
import { similarWord } from "../../base/similar-word.js";
import { promptData } from "../../core/model/prompt-events.js";
import { rewind } from "../../core/turns/go-back.js";
import { UsageError } from "../program/exit-codes.js";
import { settings } from "../program/settings.js";
import { promptLines } from "../screen/prompt-lines.js";
import { threadLines } from "../screen/thread-lines.js";
import { findThread } from "../session/find-thread.js";
import type { TurnToRun } from "../session/run-turn.js";
import type { Chat } from "./chat.js";
import { editedQuestion } from "./edited-question.js";
import { saveConversation } from "./save-conversation.js";

/** What comes after a command: a turn to run, the end of the chat, or the next entry. */
export type AfterCommand = TurnToRun | "leave" | undefined;

/** A command that a person types in a chat, after a slash. */
export interface SlashCommand {
  /** What may stand after its name. */
  readonly argument?: string;
  readonly help: string;
  run(chat: Chat, argument: string): Promise<AfterCommand>;
}

/** The commands of a chat, by name. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    help: "show these commands",
    async run(chat) {
      chat.say(helpText());
      return undefined;
    },
  },
  model: {
    argument: "[NAME]",
    help: "show the model, or go on with another one",
    async run(chat, name) {
      // The offline rules have no server.
      if (name !== "") await chat.change({ model: name, ...(name === "offline" && { baseUrl: undefined }) });
      chat.say(`Model: ${chat.session.model}`);
      return undefined;
    },
  },
  tools: {
    argument: "[NAMES]",
    help: "show the tools, or go on with others, such as calculator,web",
    async run(chat, tools) {
      if (tools !== "") await chat.change({ tools: textOf(tools) });
      chat.say(`Tools: ${chat.session.toolNames.join(", ") || "none"}`);
      return undefined;
    },
  },
  system: {
    argument: "[TEXT]",
    help: "show who the agent is, or change it",
    async run(chat, system) {
      if (system !== "") await chat.change({ system: textOf(system) });
      chat.say(`System: ${chat.session.chosen.text(settings.system) ?? "as usual"}`);
      return undefined;
    },
  },
  steps: {
    help: "show the steps of turns, or no longer",
    async run(chat) {
      chat.showsSteps = !chat.showsSteps;
      chat.say(chat.showsSteps ? "Steps are shown." : "Steps are no longer shown.");
      return undefined;
    },
  },
  prompt: {
    help: "show the last prompt to the model",
    run: showLastPrompt,
  },
  regenerate: {
    help: "answer the last question again",
    run: (chat) => againWith(chat),
  },
  edit: {
    argument: "[QUESTION]",
    help: "ask another question in place of the last one; without it, change that one in $EDITOR",
    async run(chat, typed) {
      const question = typed || (await editedQuestion(chat));
      return question === undefined ? undefined : againWith(chat, question);
    },
  },
  fork: {
    argument: "[ID]",
    help: "go on with a copy of the thread; the thread stays as it is",
    async run(chat, id) {
      const { session } = chat;
      const found = await session.threads.get(session.thread);
      const newest = found && (await session.threads.history(found.id)).turns.at(-1)?.steps.at(-1);
      if (newest === undefined) throw new UsageError("There is nothing to copy yet: ask something first.");
      const copy = await session.threads.fork(session.thread, newest.checkpoint, id || randomUUID());
      await chat.change({}, copy.id);
      chat.say(`Thread ${copy.id}, a copy of ${session.thread}`);
      return undefined;
    },
  },
  threads: {
    argument: "[ID]",
    help: "list the threads, or go on with another one",
    async run(chat, id) {
      const { threads } = chat.session;
      if (id === "") {
        chat.screen.write(threadLines(await threads.list({ limit: 20 }), chat.colours));
        return undefined;
      }
      const found = await findThread(threads, id);
      await chat.goOnWith(found);
      chat.say(`Thread ${found.id}${found.title ? `: ${found.title}` : ""}`);
      return undefined;
    },
  },
  save: {
    argument: "FILE",
    help: "write the conversation to a new file, as Markdown",
    run: (chat, path) => saveConversation(chat, textOf(path)),
  },
  exit: {
    help: "leave; so does Ctrl-D",
    run: async () => "leave",
  },
};

/**
 * Runs an entry that begins with a slash.
 *
 * @throws UsageError if there is no such command, or it takes no words. Throws the errors of the command, too.
 */
export async function runSlashCommand(entry: string, chat: Chat): Promise<AfterCommand> {
  const [typed = "", argument = ""] = entry
    .trim()
    .slice(1)
    .split(/\s+(.*)/s, 2);
  const name = typed.toLowerCase() === "quit" ? "exit" : typed.toLowerCase();
  const command = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (command && argument !== "" && command.argument === undefined) {
    throw new UsageError(`/${name} takes no words after it. To ask this, type a space before it.`);
  }
  if (command) return command.run(chat, argument);
  const similar = similarWord(name, Object.keys(slashCommands));
  throw new UsageError(
    `There is no command /${typed}. ${similar ? `Did you mean /${similar}? ` : ""}/help shows the commands. To ask this, type a space before it.`,
  );
}

/** Tells whether an entry is a command. A path such as `/etc/hosts` is none. */
export function isSlashCommand(entry: string): boolean {
  return /^\/[\w-]*(?=\s|$)/.test(entry);
}

/** Reads a text without the quotes around it, as a shell does: `""` is the empty one. */
function textOf(argument: string): string {
  return argument.replace(/^"([^"]*)"$/, "$1");
}

async function againWith({ session }: Chat, question?: string): Promise<TurnToRun> {
  const from = await rewind(session.agent, session.thread, question === undefined ? {} : { question });
  const { lastQuestion = "" } = (await session.threads.get(session.thread)) ?? {};
  return { asked: question ?? lastQuestion, start: null, from };
}

function helpText(): string {
  const usages = Object.entries(slashCommands).map(([name, { argument = "", help }]) => ({
    usage: `/${name} ${argument}`.trim(),
    help,
  }));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  return [
    ...usages.map(({ usage, help }) => `  ${usage.padEnd(width)}  ${help}`),
    "",
    'Any other line is a question. A line that ends with \\ goes on in the next one. """ stands before and after many lines.',
    '"" after /tools or /system brings back the default. Ctrl-C stops an answer, and clears the line.',
  ].join("\n");
}

/** Finds what a line of a chat can become: names of commands, and ids of threads. */
export async function completions(line: string, { session }: Chat): Promise<string[]> {
  const [, typed] = /^\/threads\s+(\S*)$/.exec(line) ?? [];
  const possible =
    typed === undefined
      ? Object.keys(slashCommands).map((name) => `/${name}`)
      : (await session.threads.list({ limit: 100 })).map(({ id }) => `/threads ${id}`);
  return line.startsWith("/") ? possible.filter((whole) => whole.startsWith(line.replace(/\s+/, " "))) : [];
}

/** Shows the prompt of the last model call. It is made again from what the thread keeps. */
async function showLastPrompt({ session, screen, colours }: Chat): Promise<undefined> {
  const prompt = await promptOf(session.agent, session.thread);
  if (prompt === undefined) throw new UsageError("No model was called in this thread yet.");
  const shown = { ...prompt, ...promptData(prompt) };
  screen.write(promptLines({ ...shown, stop: [...shown.stop] }, colours));
}
