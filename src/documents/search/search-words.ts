import { plainText } from "../index/indexed-words.js";

/** The English words that only ask or join. They do not say what to look for. */
const stopWords = new Set(
  (
    "a about all also am an and any are as at be been but by can could did do does for from get give had has have he " +
    "her here hers him his how i if in into is it its just let like me more most my no not now of on or our out over " +
    "please say she should show so some such tell than that the their them then there these they this those to too up " +
    "us use very was we were what when where which who whom whose why will with would you your"
  ).split(" "),
);

const mostWords = 40;
const longestQuery = 2000;

const unspacedRun = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;

/**
 * Returns the words of a question that are looked for. They have no quotation marks. Chinese, Japanese and Korean are
 * searched by pairs of characters, with a space between the two.
 */
export function searchWords(question: string): readonly string[] {
  const text = plainText(question.slice(0, longestQuery));
  const pairs = (text.match(unspacedRun) ?? []).flatMap(pairsOf);
  const spaced = text.replace(unspacedRun, " ").toLowerCase();
  const words = spaced.match(/[\p{L}\p{N}\p{M}]+(?:[.,'-][\p{L}\p{N}\p{M}]+)*/gu) ?? [];
  return [...new Set([...words.filter((word) => !stopWords.has(word)), ...pairs])].slice(0, mostWords);
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]} ${character}`);
}
