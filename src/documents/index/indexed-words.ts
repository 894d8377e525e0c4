/** The scripts without spaces between words. Korean has spaces, but none before a word's endings. */
const scripts = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const unspaced = `[${scripts.map((script) => `\\p{Script=${script}}`).join("")}ー]`;

/** A run of text that has no spaces between its words. */
export const unspacedRun = new RegExp(`${unspaced}+`, "gu");
/** A character of such a run as a word. */
export const unspacedSign = new RegExp(`^${unspaced}$`, "u");

/** A word, with those that are tied to it: `error-handling`, `fs.readFileSync`, `l'installation`, `max\_tokens`. */
const compound = /[\p{L}\p{M}\p{N}]+(?:[.,'\\_-]+[\p{L}\p{M}\p{N}]+)*/gu;
const ties = /[.,'\\_-]+/;
/** The places between the parts of `createReactAgent` and `HTMLElement`. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Most words, and pairs of characters of Chinese, Japanese and Korean, have one form. */
const plainWord = /^(?:[A-Z]?[a-z]+|[\u3041-\u9fff\uac00-\ud7a3]{1,2})$/;
/** A whole of more characters is not looked for: it is a table, or data. */
const longestWhole = 60;

/** Letters that Unicode does not take apart, and those that people write as two. */
const folded = new Map(Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" }));
/** The usual endings of nouns and adjectives in Slavic languages. SQLite's stemmer knows only those of English. */
const cyrillicEnding = /^(\p{Script=Cyrillic}{3,40}?)(?:[аеиоуыюя][мхвг][иоу]?|[аеиоуыьюя]{1,2})$/u;
const spelledOut = new Map(Object.entries({ ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa" }));

/**
 * Makes a text ready for the index: its words with spaces between them, as {@link wordsOf} returns them. Of Chinese, Japanese,
 * Korean, Thai, Lao, Khmer and Burmese two neighbouring characters are a word, and so is the last one of a run: each character
 * begins a word.
 */
export function searchableText(text: string): string {
  const spaced = plainText(text).replace(unspacedRun, (run) => ` ${[...pairsOf(run), [...run].at(-1)].join(" ")} `);
  return wordsOf(compoundsIn(spaced)).join(" ");
}

/** Returns the pairs of neighbouring characters in a text. */
export function pairsOf(text: string): readonly string[] {
  const characters = [...text];
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Gives each character one form, and removes invisible ones and a possessive 's. */
export function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replaceAll("’", "'")
    .replace(/(?<=\p{L})'s\b/gu, "");
}

/** Returns the words of a plain text as they are written. Those that are tied to each other are one. */
export function compoundsIn(plain: string): readonly string[] {
  return plain.match(compound) ?? [];
}

/**
 * Returns words in small letters without accents, and in Cyrillic without endings. A word of several parts is returned
 * whole and in parts, and one with umlauts in both spellings: "Vue.js" as vuejs, vue and js, "Löschung" as loschung and
 * loeschung.
 */
export function wordsOf(compounds: readonly string[]): readonly string[] {
  return compounds.flatMap((word) => (plainWord.test(word) ? word.toLowerCase() : formsOf(word)));
}

function formsOf(word: string): readonly string[] {
  const tied = word.split(ties);
  const whole = tied.length > 1 ? tied.join("") : "";
  const parts = tied.flatMap((part) => {
    const humped = part.split(humps);
    return humped.length > 1 ? [part, ...humped] : [part];
  });
  return (whole.length > 0 && whole.length <= longestWhole ? [whole, ...parts] : parts).flatMap(spellingsOf);
}

function spellingsOf(word: string): readonly string[] {
  const small = word.toLowerCase();
  if (/^[a-z\d]+$/.test(small)) return [small];
  const bare = stemOf(small);
  const long = stemOf(small.replace(/[äöüøå]/g, (letter) => spelledOut.get(letter) ?? letter));
  return bare === long ? [bare] : [bare, long];
}

function stemOf(word: string): string {
  return word
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[ßæœøłđðþı]/g, (letter) => folded.get(letter) ?? letter)
    .replace(cyrillicEnding, "$1");
}
