/** Words that say nothing about the subject of a question. */
const emptyWords = new Set(
  (
    "a an the this that these those some any of in on at to for from by with about as into over under than then and or but not no " +
    "is are was were be been being am do does did done has have had having can could will would shall should may might must " +
    "i me my we our you your he him his she her it its they them their one " +
    "what which who whom whose when where why how much many there here please tell me know give find show " +
    "current currently latest reigning today yesterday tomorrow now ever just also so if whats"
  ).split(" "),
);

/**
 * Words that a question and a document may use for the same thing. The first word of a line stands for the whole line.
 */
const synonyms = [
  "make build create develop design construct invent made built maker creator developer inventor inventors builder",
  "film movie picture",
  "fast quick speed rapid",
  "record best",
  "hold keep own holder held set",
  "win won winner champion",
  "die died dies dead death",
  "direct director",
  "write wrote written author",
  "high maximum max highest warmest hottest peak",
  "low minimum min lowest coldest",
  "big large great",
  "old age",
  "begin start began",
  "release come out premiere open appear",
  "person human people",
  "city town",
  "take took",
];

const senses = new Map(
  synonyms.flatMap((line) => {
    const [first = "", ...others] = line.split(" ").map(stem);
    return others.map((word) => [word, first] as const);
  }),
);

/** Returns the common meaning of a word and its synonyms. */
export function senseOf(word: string): string {
  return senses.get(word) ?? word;
}

/** Returns the words that carry the meaning of a text, each without its inflection. */
export function contentWords(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !emptyWords.has(word))
    .map(stem);
}

function wordsOf(text: string): string[] {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/['’]s?(?![\p{L}\d])/gu, "")
    .replace(/\b(\p{L})\.(?=\p{L}\b)/gu, "$1")
    .replace(/['’]/g, "");
  return plain.match(/\d+(?:[.,]\d+)*|[\p{L}\p{N}]+/gu) ?? [];
}

/** Removes English endings from a word. The result is rough, but the same for a question and a document. */
function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  const cut = word
    .replace(/ies$/, "y")
    .replace(/(?<=[^s])s$/, "")
    .replace(/(?<=\w{3})(?:est|ing|er|ed)$/, "")
    .replace(/(?<=\w{3})e$/, "");
  return cut.replace(/([bdgmnprt])\1$/, "$1");
}
