/** A part of a document that can be read by itself. */
export interface Passage {
  /** The headings above the passage, the outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
}

/** The lines below a heading. */
interface Section {
  readonly headings: readonly string[];
  readonly lines: string[];
}

const longestPassage = 1200;
/** The length from which a line is no heading: a heading is repeated above each passage of its section. */
const longestHeading = 300;

/**
 * Cuts a document into passages, at each heading of Markdown, and at paragraphs if a section is longer than 1200
 * characters. A heading with nothing below it is a passage, too. A plain text has no headings. Each line is looked at once,
 * so that a hostile document takes no longer than any other of its length.
 */
export function cutDocument(document: string, isMarkdown: boolean): readonly Passage[] {
  const lines = document.replace(/\r\n?/g, "\n").split("\n");
  const sections = isMarkdown ? sectionsOf(withoutFrontMatter(lines)) : [{ headings: [], lines }];
  return sections.flatMap(({ headings, lines }, at) => {
    const texts = cutAtParagraphs(lines.join("\n"));
    // The first heading is the title, which is found with each passage.
    const isBare = at > (sections.length > 2 ? 1 : 0) && headings.length >= (sections[at + 1]?.headings.length ?? 0);
    return (isBare && texts.length === 0 ? headings.slice(-1).filter(Boolean) : texts).map((text) => ({
      headings,
      text,
    }));
  });
}

function withoutFrontMatter(lines: readonly string[]): readonly string[] {
  const closing = lines[0] === "---" ? /^(?:---|\.\.\.)$/ : lines[0] === "+++" ? /^\+\+\+$/ : undefined;
  const end = closing ? lines.findIndex((line, at) => at > 0 && closing.test(line)) : -1;
  return lines.slice(end + 1);
}

function sectionsOf(lines: readonly string[]): readonly Section[] {
  let section: Section = { headings: [], lines: [] };
  const sections = [section];
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const marker = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    const isCode = fence !== undefined || marker !== undefined;
    const underlined = isCode ? 0 : underlinedLevel(line, lines[at + 1]);
    const level = isCode ? 0 : underlined || hashLevel(line);
    if (level === 0) section.lines.push(line);
    else {
      const title = withoutMarks(underlined > 0 ? line.trim() : titleOf(line, level));
      section = { headings: [...section.headings.slice(0, level - 1), title], lines: [] };
      sections.push(section);
      if (underlined > 0) at++;
    }
    if (fence === undefined) fence = marker;
    else if (marker?.startsWith(fence)) fence = undefined;
  }
  return sections;
}

/** The level of a heading that begins with hashes; 0 for another line. */
function hashLevel(line: string): number {
  return line.length > longestHeading ? 0 : (/^ {0,3}(#{1,6})[ \t]/.exec(line)?.[1]?.length ?? 0);
}

/** The level of a heading that is underlined with `===` or `---`; 0 for another line. */
function underlinedLevel(line: string, below = ""): number {
  if (line.length > longestHeading || /^(?:[\s#>|*+-]|$)/.test(line)) return 0;
  const underline = below.trimEnd();
  return /^=+$/.test(underline) ? 1 : /^-{3,}$/.test(underline) ? 2 : 0;
}

/** The words of a heading with hashes, without those that close it. */
function titleOf(line: string, level: number): string {
  const title = line.trim().slice(level).trim();
  let end = title.length;
  while (title[end - 1] === "#") end--;
  const closes = end === 0 || /\s/.test(title[end - 1] ?? "");
  return closes ? title.slice(0, end).trim() : title;
}

/**
 * Removes anchors and classes at the end of a heading, such as `{#start}` and `[](#start)`, and elements of HTML or JSX that
 * are not in code. The name of a tag or a block that the heading is about stays, such as `<select>` or `{#if}`.
 */
function withoutMarks(title: string): string {
  const isPair = (name: string) => title.includes(`<${name}`) && title.includes(`</${name}>`);
  const text = title
    .replace(
      /(?:\s*(?:\{:?\s*[#.](?!(?:if|each|await|key|snippet)[\s}])[^{}]*\}|\[[^\]\p{L}\p{N}]*\]\(#[^()]*\)))+$/u,
      "",
    )
    .replace(/`[^`]*`|(?:(?<!\w)<|<\/)([a-z][\w.-]*)(?:\s[^<>]*)?\/?>/gi, (mark, name: string | undefined) => {
      const isElement = name !== undefined && (/^<(?:br\b|[A-Z].*\/>|.*=)/.test(mark) || isPair(name));
      return isElement ? "" : mark;
    })
    .trim();
  return text === "" ? title : text;
}

function cutAtParagraphs(text: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const paragraph of text.split(/\n\s*\n/).flatMap((whole) => cutAtSentences(whole))) {
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
