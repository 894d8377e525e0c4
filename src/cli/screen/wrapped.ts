import stringWidth from "string-width";
import { withoutSecretForms } from "../../base/secrets/without-secrets.js";
import type { Io, Output } from "../io.js";
import { coloursFor } from "./colours.js";
import { screenText } from "./screen-text.js";

const joint = "\u00a0";

/** Joins the words of a command. {@link wrapped} leaves it in one line, so that people can copy it. */
export function unbroken(command: string): string {
  return command.replaceAll(" ", joint);
}

/**
 * Breaks the lines of a note between words, for a terminal. A word that is wider than the screen begins a line.
 *
 * @param indent What stands before each further line.
 */
export function wrapped(note: string, { isTTY, columns = 80 }: Output, indent = ""): string {
  if (!isTTY) return note.replaceAll(joint, " ");
  const lines = note.split("\n").map((line) => {
    let width = -1;
    const words = line.split(" ").map((word) => {
      const needed = stringWidth(word) + 1;
      const fits = width < 0 || width + needed <= columns;
      const before = fits ? (width < 0 ? "" : " ") : `\n${indent}`;
      width = fits ? width + needed : indent.length + needed - 1;
      return before + word;
    });
    return words.join("");
  });
  return lines.join("\n").replaceAll(joint, " ");
}

/** Tells a person something beside the turns. */
export function tell(sentence: string, { stderr, env }: Pick<Io, "stderr" | "env">): void {
  stderr.write(`${coloursFor(stderr, env).dim(wrapped(screenText(withoutSecretForms(sentence)), stderr))}\n`);
}
