/** A part of a document that can be read by itself. */
export interface Passage {
  /** The headings above the passage, the outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

const longestPassage = 1200;

/**
 * Cuts a document into passages. Cuts at each heading of Markdown, and at paragraphs if a section is longer than 1200
 * characters. A plain text has no headings.
 */
export function splitPassages(document: string, isMarkdown: boolean): readonly Passage[] {
  const text = document.replace(/\r\n?/g, "\n");
  const sections = isMarkdown ? splitSections(withoutFrontMatter(text)) : [{ headings: [], text }];
  return sections.flatMap(({ headings, text }) => cutAtParagraphs(text).map((part) => ({ headings, text: part })));
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n[\s\S]*?\n(?:---|\.\.\.)(?:\n|$)/, "");
}

interface Section {
  readonly headings: readonly string[];
  readonly lines: string[];
}

function splitSections(markdown: string): readonly Passage[] {
  const sections: Section[] = [{ headings: [], lines: [] }];
  for (const { line, isCode } of markCode(underlinesToHashes(markdown))) {
    const above = sections.at(-1) ?? { headings: [], lines: [] };
    const heading = isCode ? null : /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/.exec(line);
    if (heading)
      sections.push({ headings: headingPath(above.headings, heading[1] ?? "", heading[2] ?? ""), lines: [] });
    else above.lines.push(line);
  }
  return sections.map(({ headings, lines }) => ({ headings, text: lines.join("\n") }));
}

/** Rewrites headings that are underlined with `===` or `---` as headings with hashes. */
function underlinesToHashes(markdown: string): string {
  return markdown.replace(/^(?![\s#>|*+-])(.+)\n(=+|-{3,})[ \t]*$/gm, (_, title: string, line: string) =>
    line.startsWith("=") ? `# ${title}` : `## ${title}`,
  );
}

/** Marks the lines of code blocks. A line of code that begins with # is not a heading. */
function* markCode(markdown: string): Generator<{ line: string; isCode: boolean }> {
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const marker = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    yield { line, isCode: fence !== undefined || marker !== undefined };
    if (fence === undefined) fence = marker;
    else if (marker?.startsWith(fence)) fence = undefined;
  }
}

function headingPath(above: readonly string[], hashes: string, title: string): readonly string[] {
  return [...above.slice(0, hashes.length - 1), title];
}

function cutAtParagraphs(text: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const paragraph of text.split(/\n\s*\n/).flatMap(cutAtSentences)) {
    const joined = part === "" ? paragraph : `${part}\n\n${paragraph}`;
    if (joined.length <= longestPassage) part = joined;
    else {
      parts.push(part);
      part = paragraph;
    }
  }
  return [...parts, part].map((whole) => whole.trim()).filter((whole) => whole !== "");
}

/**
 * Cuts a paragraph that is too long at the ends of sentences. If there is no such end, it is cut between words or
 * anywhere.
 */
function cutAtSentences(paragraph: string): readonly string[] {
  if (paragraph.length <= longestPassage) return [paragraph];
  const pieces: string[] = [];
  for (let rest = paragraph; rest !== ""; ) {
    const window = rest.slice(0, longestPassage);
    const end = rest.length <= longestPassage ? rest.length : endOfSentence(window);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return pieces;
}

function endOfSentence(window: string): number {
  const ends = [". ", "! ", "? ", "。", "！", "？", "\n"].map((end) => window.lastIndexOf(end) + end.length);
  const sentence = Math.max(...ends);
  if (sentence > window.length / 2) return sentence;
  const word = window.lastIndexOf(" ") + 1;
  return word > window.length / 2 ? word : window.length;
}
