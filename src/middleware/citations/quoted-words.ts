import type { Citation, CitedQuote, Source } from "../../core/state/source.js";

/** The scripts that put no space between words. Each of their characters is compared by itself. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
/** A word, or a sign that changes what is said, such as the one of a percentage or a currency. */
const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}])+|[%‰°+=<\\p{Sc}]`, "gu");
const unspacedSigns = new RegExp(`[${unspaced}]`, "gu");

/** What a quote leaves out or changes: "…", "[...]", "[sic]", "[The]". */
const gap = /[[(]?(?:…|\.(?: ?\.){2,})[\])]?|(?<![\p{L}\p{N}])\[[^[\]\n]{1,40}\](?!\p{L})/gu;
/** A question, or words with capitals, as titles have them: none of four letters or more begins with a small one. */
const titleOrQuestion = /^(?!.*(?<!\p{L}['’]?)\p{Ll}{4})(?:.*?(?<!\p{L})\p{Lu}){2}|[?？]\P{L}*$/su;

/** Returns a text without the addresses of links, and without hyphens that nobody sees. */
function readable(text: string): string {
  const seen = text.normalize("NFKC").replaceAll(/\p{Cf}/gu, "");
  return seen.replaceAll(/\[([^[\]]{0,500})\]\([^()\s]{0,500}\)/g, "$1");
}

/**
 * Returns the words of a text as they are compared: one space around each, in small letters. White space, punctuation, marks
 * of Markdown and citations are left out.
 */
function comparable(text: string): string {
  const plain = text.replaceAll(/\[[\d ,;–-]{1,20}\]|[[\]]/g, "").toLowerCase();
  return ` ${(plain.match(word) ?? []).join(" ")} `;
}

/** Whether quoted words were found, and where. */
type Checked = Pick<CitedQuote, "isFound" | "foundIn">;

/**
 * Makes a function that holds quoted words against the sources that are cited beside them. It returns undefined for words
 * that are no quote of a source: few words, a title, a question, words of the user, and words that the sources do not know,
 * such as those of another language. Words of sources that were left out are known, and confirm nothing. It also does so if a source is known in part only.
 */
export function quoteChecker(sources: readonly Source[], said: string, leftOut: readonly Source[]) {
  const textIn = ({ passage = "", heading = "", title }: Source) =>
    [passage, heading, title].map((text) => comparable(readable(text))).join("|");
  const texts = sources.map(textIn);
  const known = new Set([...texts, ...leftOut.map(textIn)].flatMap((text) => text.split(" ")));
  const saidWords = comparable(readable(said));
  return (quote: string, cited: readonly Citation[], isBlock: boolean): Checked | undefined => {
    const all = readable(quote).split(gap).map(comparable);
    const parts = all.filter((part) => part.trim() !== "");
    const words = parts.flatMap((part) => part.trim().split(" "));
    // Fewer than four words may be a term or a title. Two characters of a script without spaces count as one word.
    if (words.length - (parts.join("").match(unspacedSigns)?.length ?? 0) / 2 < 4) return undefined;
    const found = sources.filter((_, at) => standsIn(texts[at] ?? "", parts));
    const beside = cited.flatMap(({ source }) => sources[source ?? -1] ?? []);
    const right = found.find((one) => beside.some((other) => isOnPage(one, other)));
    if (right) return { isFound: true, foundIn: sources.indexOf(right) };
    const share = words.filter((each) => known.has(each)).length / words.length;
    // Words that the sources have are no title for their capitals: German nouns have them, too.
    const isTitle = titleOrQuestion.test(share < 0.7 ? quote : quote.toLowerCase());
    if (!found[0] && (share < (isBlock ? 0.7 : 0.3) || isTitle || standsIn(saidWords, parts))) return undefined;
    if (beside.some(({ passage }) => passage?.endsWith("…") ?? true)) return undefined;
    return { isFound: false, foundIn: found[0] ? sources.indexOf(found[0]) : null };
  };
}

/** All that was found on one page of the web is one source. */
function isOnPage(one: Source, other: Source): boolean {
  return one === other || (/^https?:/i.test(one.address) && one.address === other.address);
}

/** Tells whether the parts stand in a text, in their order. Two parts may share the space between them. */
function standsIn(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every((part) => {
    const place = text.indexOf(part, from);
    from = place + part.length - 1;
    return place >= 0;
  });
}
