import type { LineReader } from "../screen/line-reader.js";

const quotes = '"""';

/**
 * Reads what a person enters: a line, or several. A line that ends with `\` goes on in the next one. `"""` stands before and
 * after many lines. A pipe has one entry in each line.
 *
 * @returns undefined at the end of the input; an empty text if the person gave the entry up.
 */
export async function readEntry(lines: LineReader): Promise<string | undefined> {
  const first = await lines.next();
  if (first === undefined) return lines.isClosed ? undefined : "";
  if (!lines.atTerminal) return first;
  return first.trimStart().startsWith(quotes) ? readQuoted(first.trimStart(), lines) : readContinued(first, lines);
}

async function readContinued(first: string, lines: LineReader): Promise<string | undefined> {
  let entry = first;
  while (entry.endsWith("\\")) {
    const line = await lines.next("… ");
    if (line === undefined) return givenUp(lines);
    entry = `${entry.slice(0, -1)}\n${line}`;
  }
  return entry;
}

async function readQuoted(first: string, lines: LineReader): Promise<string | undefined> {
  let entry = first.slice(quotes.length);
  while (!entry.trimEnd().endsWith(quotes)) {
    const line = await lines.next("… ");
    if (line === undefined) return givenUp(lines);
    entry = `${entry}\n${line}`;
  }
  return entry.trimEnd().slice(0, -quotes.length);
}

function givenUp(lines: LineReader): string | undefined {
  return lines.isClosed ? undefined : "";
}
