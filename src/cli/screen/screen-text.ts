/** Text that cannot move the cursor or change the terminal, whatever a tool or a model put into it: without control characters. */
export function screenText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

/** A label and its text; further lines stand indented below. */
export function labelled(label: string, text: string): string {
  return `${label} ${screenText(text).trim().replaceAll("\n", "\n  ")}\n`;
}

const mostCharacters = 600;
const mostLines = 8;

/** The beginning of a text that is too long for the screen, with a note of how much is left out. */
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

/** A time in this machine's zone, down to the minute, such as 2026-11-21 10:00: as Swedish writes it. */
export function minuteOf(time: string): string {
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}
