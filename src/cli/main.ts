import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../base/package-folder.js";
import { commands, groups } from "./commands.js";
import type { Io } from "./io.js";
import { environmentOf } from "./program/environment.js";
import type { ExitCode } from "./program/exit-codes.js";
import { type End, programCommand } from "./program/options.js";
import { runProgram } from "./program/run-program.js";

/**
 * Runs the program `glassloop`. A command's code is imported when it runs, so that `--help` and `--version` are quick.
 *
 * @param args The words after the program's name.
 * @returns The exit code.
 */
export async function main(args: readonly string[], given: Io): Promise<ExitCode> {
  const words = withCommand(args);
  const { io, problem } = await withEnvironment(given);
  return runProgram(words, io, (end) => programOf(words, io, end, problem));
}

async function programOf(words: readonly string[], io: Io, end: End, problem: unknown) {
  const program = programCommand("glassloop", io)
    .description("An agent that you can see through: it thinks, acts and observes until it can answer.")
    .usage('[options] [command]\n       glassloop "question"')
    .version(packageVersion(), "-v, --version")
    .showHelpAfterError('(glassloop ask "…" asks a question; --help shows what else is possible)')
    .addHelpText("after", examples)
    .hook("preAction", () => {
      if (problem !== undefined) throw problem;
    });
  const parents = Object.entries(groups).map(([name, about]) => programCommand(name, io).description(about));
  for (const [name, { about, load }] of Object.entries(commands)) {
    const [first = "", second] = name.split(" ");
    const command = programCommand(second ?? first, io).description(about);
    const isTyped = words[0] === first && (second === undefined || words[1] === second);
    if (isTyped) (await load()).declare(command, io, end);
    const parent = parents.find((group) => group.name() === first);
    if (parent?.commands.length === 0) program.addCommand(parent);
    (parent ?? program).addCommand(command);
  }
  return program;
}

/** Reads `glassloop.json` and `.env` into the environment of a program. A problem is left to its commands. */
async function withEnvironment(given: Io): Promise<{ readonly io: Io; readonly problem?: unknown }> {
  try {
    return { io: { ...given, ...(await environmentOf(given.env, given.fileInFolder)) } };
  } catch (problem) {
    return { io: given, problem };
  }
}

const names = new Set([...Object.keys(commands).flatMap((name) => name.split(" ", 1)), "help"]);

/**
 * Adds the command `ask` to a question, and to the options before it. A single word may be a misspelt command. The words after
 * `help` name a command.
 */
function withCommand(args: readonly string[]): readonly string[] {
  const [first = "", ...others] = args;
  if (first === "help") return [...others, "--help"];
  if (names.has(first) || /^(?:-h|--help|-v|--version)?$/.test(first)) return args;
  const isQuestion = first.startsWith("-") || args.some((word) => /\s|\?$/.test(word));
  return isQuestion ? ["ask", ...args] : args;
}

const examples = `
Examples:
  glassloop "What is the square root of 2?"
  glassloop ask --file README.md "What is this about?"
  glassloop chat --model llama3.2 --base-url http://127.0.0.1:11434/v1
  glassloop threads list

Exit codes: 0 answered, 1 failed, filtered or stopped at a limit, 2 wrong use, 3 waiting for a person,
130 interrupted, 143 ended by SIGTERM.`;

function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8"));
  return manifest.version;
}
