import { Command, Option } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import { defaultDatabase } from "./addresses.js";
import type { ExitCode } from "./exit-codes.js";
import { settingOptions } from "./settings.js";

/** A function that takes the exit code of a command that has run. Without a call of it the command answered. */
export type End = (exitCode: ExitCode) => void;

/** A command before its options are declared. */
export type NewCommand = ReturnType<typeof programCommand>;

/**
 * Makes a command that writes to the given streams and throws instead of exiting. Narrow columns of its help are wrapped,
 * too: they are easier to read than lines that a terminal breaks.
 */
export function programCommand(name: string, { stdout, stderr }: Pick<Io, "stdout" | "stderr">) {
  return new Command(name)
    .exitOverride()
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .showHelpAfterError("(--help shows what is possible; put -- before words that begin with a dash)");
}

/** Adds the options of an agent and of its view. The settings are read by `typedSettings`. */
export function withAgentOptions(command: NewCommand) {
  for (const option of settingOptions()) command.addOption(option);
  return command
    .addOption(databaseOption())
    .option("-t, --thread <id>", "go on with this thread, or start it under this id (default: a new one)")
    .addOption(new Option("-c, --continue", "go on with the thread that was used last").conflicts("thread"))
    .addOption(
      new Option(
        "--show <what>",
        "show the steps of a turn, also the model's thinking, or only the answer, sources and cost (default: steps)",
      )
        .choices(["steps", "thinking", "answer"])
        .conflicts("quiet"),
    )
    .option("--json", "print one JSON object per line for each thing that happens, errors too")
    .addOption(new Option("-q, --quiet", "print only answers and errors").conflicts("verbose"))
    .option("--verbose", "print each whole prompt to the model, and each whole reply");
}

export type AgentOptions = ReturnType<ReturnType<typeof withAgentOptions>["opts"]>;

/** Makes the option for the database of the threads. */
export function databaseOption() {
  return new Option(
    "--db <url>",
    `the database of the threads: "sqlite:PATH", "postgres://…", or "memory:" to keep none (env: GLASSLOOP_DB, default: "${defaultDatabase}")`,
  );
}

/** The options of a command that prints what threads keep. */
export interface PrintOptions {
  readonly db?: string;
  readonly json?: boolean;
}

/** Reads the argument of an option that may be given several times. */
export function several(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
