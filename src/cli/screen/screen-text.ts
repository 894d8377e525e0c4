/**
 * Removes control characters from a text of a tool or a model, and those that turn the direction of text around. The text
 * cannot move the cursor or change the terminal then.
 */
export function screenText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "").replace(/[\u2028\u2029]/g, "\n");
}

/** Writes an id or a title on one line, and without any mark that cannot be seen. */
export function screenName(text: string): string {
  return screenText(text)
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/\s+/g, " ");
}

/** Writes a label and its text. Further lines are indented. */
export function labelled(label: string, text: string): string {
  return `${label} ${screenText(text).trim().replaceAll("\n", "\n  ")}\n`;
}

const mostCharacters = 600;
const mostLines = 8;

/** Shortens a text that is too long for the screen. A note at its end tells how much is left out. */
export function shortened(text: string): string {
  const lines = text.trim().split("\n", mostLines).join("\n");
  const start = lines.length > mostCharacters ? lines.slice(0, endOfWord(lines)) : lines;
  const left = text.trim().length - start.length;
  return left === 0 ? start : `${start.trimEnd()} … (${left.toLocaleString("en")} more characters)`;
}

function endOfWord(text: string): number {
  const space = text.lastIndexOf(" ", mostCharacters);
  return space > mostCharacters / 2 ? space : mostCharacters;
}

/** Writes a time in this machine's zone as 2026-11-21 10:00, which is the Swedish form. */
export function minuteOf(time: string): string {
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}

/** Writes a number with a noun. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Writes data as a line for programs. */
export function jsonLine(data: object): string {
  return `${JSON.stringify(data)}\n`;
}

/** Writes words as a person types them in a shell. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

function shellWord(text: string): string {
  return /^[\w./:@,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
