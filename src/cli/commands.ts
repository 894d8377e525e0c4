import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Io } from "./io.js";
import type { End, NewCommand } from "./program/options.js";

/** A command of the program. */
interface Row {
  readonly about: string;
  /** Loads the file of the command, which declares its options and its action. */
  load(): Promise<{ declare(command: NewCommand, io: Io, end: End): CommandUnknownOpts }>;
}

/** The commands by their words: a file and a row for each. */
export const commands: Readonly<Record<string, Row>> = {
  ask: {
    about: "Ask one question. The answer goes to stdout. The steps go to stderr if stdout is not a terminal.",
    load: () => import("./commands/ask.js"),
  },
  chat: {
    about:
      "Ask one question after the other on one thread. /help shows the commands of a chat. /exit and Ctrl-D leave.",
    load: () => import("./commands/chat.js"),
  },
  "threads list": {
    about: "List the threads, the one used last first; or those that wait for a person, or have some words.",
    load: () => import("./commands/threads/list.js"),
  },
  "threads show": {
    about: "Print the conversation of a thread, and its turns and steps with the ids of their checkpoints.",
    load: () => import("./commands/threads/show.js"),
  },
  "threads resume": {
    about: "Resume a turn that was stopped, killed, failed or ended at a limit. Finished steps are not run again.",
    load: () => import("./commands/threads/resume.js"),
  },
  "threads decide": {
    about: "Decide about the waiting calls of a thread, and resume its turn.",
    load: () => import("./commands/threads/decide.js"),
  },
  "threads fork": {
    about: "Copy a checkpoint of a thread, and its past, into a new thread; print the new thread's id.",
    load: () => import("./commands/threads/fork.js"),
  },
  "threads copy": {
    about: "Copy a thread, or all of them, into another database. Threads that are there already stay as they are.",
    load: () => import("./commands/threads/copy.js"),
  },
  "threads prune": {
    about:
      "Delete old checkpoints of a thread, or of all of them. The conversation stays, and so do the newest checkpoint " +
      "and the ends of branches.",
    load: () => import("./commands/threads/prune.js"),
  },
  "threads remove": {
    about: "Delete a thread, with all that was kept of it.",
    load: () => import("./commands/threads/remove.js"),
  },
  "docs index": {
    about: "Bring the index of a folder up to date. Ctrl-C stops, and the next run goes on from there.",
    load: () => import("./commands/docs/index-folder.js"),
  },
  "docs search": {
    about: "Show what is found in a folder for words or a question, with scores.",
    load: () => import("./commands/docs/search.js"),
  },
  serve: {
    about: "Serve agents to LangGraph's clients over HTTP. Ctrl-C ends; runs that are left go on at the next start.",
    load: () => import("./commands/serve.js"),
  },
  worker: {
    about:
      "Execute the runs of servers on the same database. Give it the agents of these servers. It answers /health and /metrics.",
    load: () => import("./commands/worker.js"),
  },
};

/** The words that commands share, such as `threads`. */
export const groups: Readonly<Record<string, string>> = {
  threads: "List, show, resume, decide, fork, copy, prune and remove threads.",
  docs: "Index a folder of documents, and test searches in it.",
};
