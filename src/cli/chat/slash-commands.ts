import { randomUUID } from "node:crypto";
import { promptOf } from "../../agent/prompt-of.js";
import { similarWord } from "../../base/similar-word.js";
import { promptData } from "../../core/model/prompt-events.js";
import { rewind } from "../../core/turns/go-back.js";
import { editorOf, editText } from "../deciding/edit-text.js";
import { UsageError } from "../program/exit-codes.js";
import { settings } from "../program/settings.js";
import { conversation } from "../screen/conversation.js";
import { labelled } from "../screen/screen-text.js";
import { promptLines } from "../screen/step-lines.js";
import { threadLines } from "../screen/thread-lines.js";
import { findThread } from "../session/kept-threads.js";
import type { TurnToRun } from "../session/run-turn.js";
import { writeNewFile } from "../session/write-new-file.js";
import type { Chat } from "./chat.js";

/** What comes after a command: a turn to run, the end of the chat, or the next entry. */
type AfterCommand = TurnToRun | "leave" | undefined;

/** A command that a person types in a chat, after a slash. */
interface SlashCommand {
  /** What may stand after its name. */
  readonly argument?: string;
  readonly help: string;
  run(chat: Chat, argument: string): Promise<AfterCommand>;
}

/** The commands of a chat, by name. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  help: {
    help: "show these commands",
    run: async (chat) => chat.say(helpText()),
  },
  model: {
    argument: "[NAME]",
    help: "show the model, or go on with another one",
    async run(chat, name) {
      // The offline rules have no server.
      if (name !== "") await chat.change({ model: name, ...(name === "offline" && { baseUrl: undefined }) });
      return chat.say(`Model: ${chat.session.model}`);
    },
  },
  tools: {
    argument: "[NAMES]",
    help: "show the tools, or go on with others, such as calculator,web",
    async run(chat, tools) {
      if (tools !== "") await chat.change({ tools: textOf(tools) });
      return chat.say(`Tools: ${chat.session.toolNames.join(", ") || "none"}`);
    },
  },
  system: {
    argument: "[TEXT]",
    help: "show who the agent is, or change it",
    async run(chat, system) {
      if (system !== "") await chat.change({ system: textOf(system) });
      return chat.say(`System: ${chat.session.chosen.text(settings.system) ?? "as usual"}`);
    },
  },
  steps: {
    help: "show or hide the steps of turns",
    async run(chat) {
      chat.showsSteps = !chat.showsSteps;
      return chat.say(chat.showsSteps ? "Steps are shown." : "Steps are hidden.");
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
      return chat.say(`Thread ${copy.id}, a copy of ${session.thread}`);
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
      return chat.say(`Thread ${found.id}${found.title ? `: ${found.title}` : ""}`);
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

/**
 * Lets the person change the last question of a chat in their editor.
 *
 * @returns The new question; undefined if nothing is to be asked.
 * @throws UsageError without an editor. Throws the errors of `rewind` and `editText`, too.
 */
async function editedQuestion(chat: Chat): Promise<string | undefined> {
  const { agent, thread } = chat.session;
  const { values } = await agent.getState(await rewind(agent, thread));
  const last = values.messages?.at(-1)?.text ?? "";
  const editor = chat.io.stdin.isTTY ? editorOf(chat.io.env) : undefined;
  if (editor === undefined) throw new UsageError(withoutEditor);
  const question = (await editText(`${last}\n`, "question.md", editor, chat.io.env)).trim();
  if (question === "" || question === last.trim()) {
    return chat.say("The question was not changed, so it is not asked again.");
  }
  chat.screen.write(labelled(chat.colours.bold(">"), question));
  return question;
}

const withoutEditor =
  "Give the new question, such as: /edit What is 2 + 3? To change the last one at a terminal, set VISUAL or EDITOR.";

/** Writes the questions and answers of a thread to a new file, which only its owner can read. */
async function saveConversation(chat: Chat, path: string): Promise<undefined> {
  if (path === "") throw new UsageError("Give the name of a new file, such as: /save talk.md");
  const { agent, thread } = chat.session;
  const { values } = await agent.getState({ configurable: { thread_id: thread } });
  const parts = conversation(values.messages ?? []).flatMap((event) =>
    event.type === "question" ? [`## ${event.asked}`] : event.type === "answer" ? [event.text] : [],
  );
  // No shell reads this line.
  const file = path.replace(/^~(?=\/)/, () => chat.io.env.HOME ?? "~");
  await writeNewFile(file, `${parts.join("\n\n")}\n`);
  chat.say(`Saved in ${file}`);
}
