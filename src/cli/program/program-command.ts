import { Command } from "@commander-js/extra-typings";
import type { Io } from "../io.js";
import type { ExitCode } from "./exit-codes.js";

/** A function that takes the exit code of a command that has run. */
export type End = (exitCode: ExitCode) => void;

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
