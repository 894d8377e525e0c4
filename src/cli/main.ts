import { readFileSync } from "node:fs";
import { askCommand } from "./commands/ask-command.js";
import { chatCommand } from "./commands/chat-command.js";
import { graphCommand } from "./commands/graph.js";
import { threadsCommand } from "./commands/threads/index.js";
import type { Io } from "./io.js";
import type { ExitCode } from "./program/exit-codes.js";
import { programCommand } from "./program/program-command.js";
import { runProgram } from "./program/run-program.js";

/**
 * Runs the program `glassloop`. A command's code is imported when it runs, so that `--help` and `--version` are quick.
 *
 * @param args The words after the program's name.
 * @returns The exit code.
 */
export function main(args: readonly string[], io: Io): Promise<ExitCode> {
  return runProgram(args, io, (end) =>
    programCommand("glassloop", io)
      .description("An agent that you can see through: it thinks, acts and observes until it can answer.")
      .version(packageVersion(), "-v, --version")
      .showHelpAfterError('(glassloop ask "…" asks a question; --help shows what else is possible)')
      .addCommand(askCommand(io, end))
      .addCommand(chatCommand(io, end))
      .addCommand(threadsCommand(io, end))
      .addCommand(graphCommand(io, end))
      .addHelpText("after", examples),
  );
}

const examples = `
Examples:
  glassloop ask "What is the square root of 2?"
  glassloop chat --model llama3.2 --base-url http://127.0.0.1:11434/v1
  glassloop threads list

Exit codes: 0 answered, 1 failed, filtered or stopped at a limit, 2 wrong use, 3 waiting for a person,
130 interrupted, 143 ended by SIGTERM.`;

function packageVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}
