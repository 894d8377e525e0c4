import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { possibleWords } from "../base/similar-word.js";
import { graphCommand, modelsCommand } from "./commands/about.js";
import { askCommand, chatCommand } from "./commands/agent-commands.js";
import { configCommand } from "./commands/config.js";
import { docsCommand } from "./commands/docs.js";
import { serveCommand, workerCommand } from "./commands/serve-command.js";
import { threadsCommand } from "./commands/threads/index.js";
import type { Io } from "./io.js";
import { packageFolder } from "./program/addresses.js";
import { programCommand } from "./program/commands.js";
import { environmentOf } from "./program/environment.js";
import { type ExitCode, UsageError } from "./program/exit-codes.js";
import { runProgram } from "./program/run-program.js";

/** The names of the commands. */
export const commandNames: readonly string[] = [
  "ask",
  "chat",
  "threads",
  "docs",
  "serve",
  "config",
  "models",
  "graph",
  "help",
];

/**
 * Runs the program `glassloop`. A command's code is imported when it runs, so that `--help` and `--version` are quick.
 *
 * @param args The words after the program's name.
 * @returns The exit code.
 */
export function main(args: readonly string[], given: Io): Promise<ExitCode> {
  const { io, problem } = withEnvironment(given);
  return runProgram(withCommand(args), io, (end) =>
    programCommand("glassloop", io)
      .description("An agent that you can see through: it thinks, acts and observes until it can answer.")
      .usage('[options] [command]\n       glassloop "question"')
      .version(packageVersion(), "-v, --version")
      .showHelpAfterError('(glassloop ask "…" asks a question; --help shows what else is possible)')
      .addCommand(askCommand(io, end))
      .addCommand(chatCommand(io, end))
      .addCommand(threadsCommand(io, end))
      .addCommand(docsCommand(io, end))
      .addCommand(serveCommand(io, end))
      .addCommand(workerCommand(io, end))
      .addCommand(configCommand(io, end))
      .addCommand(modelsCommand(io))
      .addCommand(graphCommand(io))
      .addCommand(helpCommand(io))
      .addHelpText("after", examples)
      .hook("preAction", (_program, command) => {
        // A config file that cannot be read is mended by its own command.
        const mends = command.name() === "help" || command.parent?.name() === "config";
        if (problem !== undefined && !mends) throw problem;
      }),
  );
}

/** Reads the config file and `.env` into the environment of a program. A problem is left to its commands. */
export function withEnvironment(given: Io): { readonly io: Io; readonly problem?: unknown } {
  const { stdin, stdout, stderr, env, dotEnv, program, fileVariables } = given;
  try {
    const environment = environmentOf(env, dotEnv?.());
    return { io: { stdin, stdout, stderr, fileVariables, ...environment, program } };
  } catch (problem) {
    return { io: { stdin, stdout, stderr, env, program }, problem };
  }
}

/** Adds the command `ask` to a question, and to the options before it. A single word may be a misspelt command. */
function withCommand(args: readonly string[]): readonly string[] {
  const [first = ""] = args;
  if (commandNames.includes(first) || /^(?:-h|--help|-v|--version)?$/.test(first)) return args;
  const isQuestion = first.startsWith("-") || args.some((word) => /\s|\?$/.test(word));
  return isQuestion ? ["ask", ...args] : args;
}

const examples = `
Examples:
  glassloop "What is the square root of 2?"
  glassloop ask --file README.md "What is this about?"
  glassloop chat --model llama3.2 --base-url http://127.0.0.1:11434/v1
  glassloop config set model openai:gpt-4o-mini
  glassloop threads list

Exit codes: 0 answered, 1 failed, filtered or stopped at a limit, 2 wrong use, 3 waiting for a person,
130 interrupted, 143 ended by SIGTERM.`;

function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8"));
  return manifest.version;
}

/** Makes the command `glassloop help`, for commands in commands, too. */
function helpCommand(io: Io) {
  return programCommand("help", io)
    .description("Show the help of a command.")
    .argument("[command...]", "the words of the command, such as: threads list")
    .action((words, _options, { parent }) => {
      if (parent) words.reduce(commandIn, parent).help();
    });
}

/** @throws UsageError if the outer command has none with this name. */
function commandIn(outer: CommandUnknownOpts, word: string): CommandUnknownOpts {
  const found = outer.commands.find((command) => command.name() === word || command.aliases().includes(word));
  if (found) return found;
  const names = outer.commands.map((command) => command.name());
  const possible = names.length === 0 ? "It has no commands." : possibleWords(word, names);
  throw new UsageError(`"${outer.name()}" has no command "${word}". ${possible}`);
}
