/** The marks that end a quote, by the one that begins it. */
const closing: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "”": "”",
  "„": '“”"',
  "«": "»",
  "»": "«",
  "‹": "›",
  "›": "‹",
  "‘": "’",
  "「": "」",
  "『": "』",
};

/** The marks that may begin a quote. */
export const openingMarks = Object.keys(closing).join("");

/** The marks that begin a quote only where no word ends. The same sign may end one, or be an apostrophe. */
const turned = new Set(['"', "'", "”", "»", "›", "‘"]);
const beforeWord = /[\s([{<>*_~:;,/|—–-]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
/** Words that begin with an apostrophe. */
const elided = /'(?:\d|(?:tis|twas|em|til|cause|n|round)\b)/iy;
const longestElided = 8;
/** The longest quote, in characters. */
const longest = 2000;

/** The end of a quote; or the words that it is open, or that there is none. */
export type QuoteEnd = number | "open" | "none";

/**
 * Finds the end of a quote that may begin at a place. A quote ends in its own paragraph.
 *
 * @param before The character before the place; empty at the beginning of a text.
 * @param isEnd Tells whether the text goes no further.
 */
export function quoteEnd(text: string, at: number, before: string, isEnd: boolean): QuoteEnd {
  const mark = text.charAt(at);
  const ends = closing[mark];
  if (ends === undefined) return "none";
  if (at + 1 >= text.length) return isEnd ? "none" : "open";
  if (turned.has(mark) && !opens(text, at, before)) return "none";
  if (mark === "'" && at + longestElided >= text.length && !isEnd) return "open";
  elided.lastIndex = at;
  if (mark === "'" && elided.test(text)) return "none";
  // An apostrophe needs the word after it.
  const lookahead = mark === "'" || mark === "‘" ? 3 : 1;
  const last = Math.min(text.length, at + longest);
  for (let place = at + 1; place < last; place += 1) {
    const sign = text.charAt(place);
    if (sign === "\n" && /^\n[^\S\n]{0,20}\n/.test(text.slice(place, place + 22))) return "none";
    if (sign !== mark && !ends.includes(sign)) continue;
    if (place + lookahead >= text.length && !isEnd) return "open";
    if (ends.includes(sign) && closes(text, place, mark)) return place + 1;
    // A second beginning: the first was none.
    if (sign === mark && opens(text, place, text.charAt(place - 1))) return "none";
  }
  return isEnd || last < text.length || last === at + longest ? "none" : "open";
}

function opens(text: string, place: number, before: string): boolean {
  return (before === "" || beforeWord.test(before)) && /\S/.test(text.charAt(place + 1));
}

function closes(text: string, place: number, mark: string): boolean {
  const before = text.charAt(place - 1);
  const after = text.charAt(place + 1);
  if (mark !== '"' && mark !== "'" && mark !== "‘") return true;
  if (/\s/.test(before) || /[\p{L}\p{N}]/u.test(after)) return false;
  // The apostrophe of "the dogs' bowls" ends no quote.
  return mark === '"' || !/s/i.test(before) || !/^\s\p{L}/u.test(text.slice(place + 1, place + 4));
}
