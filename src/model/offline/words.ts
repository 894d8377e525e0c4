/** A word that carries meaning, without its ending. `isName` tells whether it is written with a capital letter. */
export interface Word {
  readonly stem: string;
  readonly isName: boolean;
}

/** Words that say nothing about the subject of a question. */
const emptyWords =
  " a an the any some this that it its he she his her him you they them their i me my of in on at to for from by with " +
  " about as and or than is are was were be been do does did has have had can what which who whom when where how many there ";

const months = /^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/;

/** Returns the words of a text that carry meaning. A remark in parentheses is left out. */
export function wordsOf(text: string): Word[] {
  const written = text.replace(/\([^()]*\)/g, " ").match(/\d+(?:[.,]\d+)*(?![\p{L}\d])|[\p{L}\d'’]+/gu) ?? [];
  return written.flatMap((word) => {
    const plain = word
      .normalize("NFKD")
      .replace(/\p{M}|['’]s?$|['’]/gu, "")
      .toLowerCase();
    if (plain === "" || emptyWords.includes(` ${plain} `)) return [];
    return [{ stem: stemOf(plain), isName: /^\p{Lu}/u.test(word) && !months.test(word) }];
  });
}

/** Removes English endings. The result is rough, but the same for a question and a document. "Seconds" is no ordinal. */
function stemOf(word: string): string {
  return word.length <= 2 || word === "seconds" ? word : word.replace(/(?<=[^\d]{2})(?:ing|ed|es|(?<!s)s|e)$/, "");
}

/** Returns what can be compared of the words of a text. */
export function stemsOf(text: string): string[] {
  return wordsOf(text).map(({ stem }) => stem);
}
