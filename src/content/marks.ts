import { randomInt } from "node:crypto";

/** Letters and digits that make no words and are not mistaken for one another. */
const signs = "bcdfghjkmnpqrstvwxz23456789";

/**
 * Draws a mark, such as `~k7q2x~`. Text from outside cannot know it: there are 14 million. So it can neither write marks of its
 * own nor close what a mark opens.
 */
export function drawMark(): string {
  return `~${Array.from({ length: 5 }, () => signs.charAt(randomInt(signs.length))).join("")}~`;
}

/** Writes a sign so that people and models see it: its mark, its code point and a closing sign, as in `~k7q2x~U+001B~`. */
export function escapedSign(sign: string, mark: string): string {
  const code = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `${mark}U+${code.padStart(4, "0")}~`;
}

/** The code point and the closing sign after a mark. */
const code = String.raw`U\+((?:10|[\dA-F])?[\dA-F]{4})~`;

/** Takes marks out of a text, and writes the signs of the escapes that begin with them. */
export function unfenced(text: string, marks: readonly string[]): string {
  const written = marks.filter((mark) => mark !== "" && text.includes(mark));
  if (written.length === 0) return text;
  return text.replaceAll(new RegExp(`(?:${written.join("|")})(?:${code})?`, "g"), (_, point?: string) => signOf(point));
}

function signOf(point: string | undefined): string {
  return point === undefined ? "" : String.fromCodePoint(Number.parseInt(point, 16));
}

/** Takes marks out of a text that comes in pieces. */
export interface MarkFilter {
  /** Returns what is certain to be no part of a mark or an escape. An end that may begin one is held back. */
  push(piece: string): string;
  /** Returns what was held back. */
  end(): string;
}

/** Makes a filter that does with pieces what {@link unfenced} does with the whole text. */
export function markFilter(marks: readonly string[]): MarkFilter {
  if (marks.length === 0) return { push: (piece) => piece, end: () => "" };
  const any = `(?:${marks.join("|")})`;
  const open = String.raw`((?:${any}(?:U(?:\+[\dA-F]{0,6})?)?|~\w{0,5})$)`;
  const pattern = new RegExp(`${open}|${any}(?:${code})?`, "g");
  let held = "";
  return {
    push: (piece) => {
      const text = held + piece;
      held = "";
      return text.replaceAll(pattern, (_, end: string | undefined, point?: string) => {
        held = end ?? "";
        return end === undefined ? signOf(point) : "";
      });
    },
    end: () => unfenced(held, marks),
  };
}
