// Questions that a folder of Markdown asks of itself: the text of a link is a question, and the page that it leads to is the
// answer. Nobody wrote them for a search.
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { generator } from "../hostile/generator.mjs";

/** Reads the pages of a folder: a map from their paths below it to their texts. */
export function readPages(folder) {
  const paths = readdirSync(folder, { recursive: true }).map((path) => path.replaceAll("\\", "/"));
  const pages = paths.filter((path) => path.endsWith(".md")).sort();
  return new Map(pages.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/**
 * Makes questions of the links between pages.
 *
 * @param pages What {@link readPages} returns.
 * @param most The largest number of questions of a kind.
 * @param isTaken Tells whether a question, by its number, is taken; all are by default.
 * @returns Lists by kind: `links` are their texts, `sentences` the lines that they stand in, `typos` their texts with two
 *   letters of the longest word swapped, and `identifiers` the texts that are code or are written like it. Each question has
 *   the page that it is `from`, and the page that it leads `to`.
 */
export function linkQuestions(pages, { most = 200, seed = 40, isTaken = () => true } = {}) {
  const random = generator(seed);
  const found = [...pages].flatMap(([from, text]) => linksOf(from, text, pages));
  const links = [...new Map(found.map((link) => [`${link.question}\n${link.to}`, link])).values()]
    .sort((one, other) => (`${one.question}\n${one.to}` < `${other.question}\n${other.to}` ? -1 : 1))
    .filter((_, number) => isTaken(number));
  shuffle(links, random);
  const withSentence = links.filter(({ question, sentence }) => sentence.length > question.length + 20);
  return {
    links: links.slice(0, most),
    sentences: withSentence.slice(0, most).map((link) => ({ ...link, question: link.sentence })),
    typos: links
      .map((link) => ({ ...link, question: withTypo(link.question, random) }))
      .filter(({ question }, number) => question !== links[number].question)
      .slice(0, most),
    identifiers: links.filter(({ isCode }) => isCode).slice(0, most),
  };
}

function linksOf(from, text, pages) {
  return [...text.matchAll(/(?<!!)\[([^\]\n]{4,80})\]\(([^)\s]+)\)/g)].flatMap((match) => {
    const [, label, address] = match;
    const to = pageOf(from, address, pages);
    const question = label.replace(/[`*_]/g, "").trim();
    if (to === undefined || to === from || [...question].length < 4) return [];
    const line = text.slice(text.lastIndexOf("\n", match.index) + 1).split("\n", 1)[0];
    const sentence = line
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/[`*_#>|]/g, " ")
      .trim();
    const isCode = /`/.test(label) || /[a-z][A-Z]|_|\(\)|[a-z]\.[a-z]|--|\w-\w/.test(question);
    return [{ question, from, to, sentence, isCode }];
  });
}

/** Finds the page that an address leads to, as most site generators do. */
function pageOf(from, address, pages) {
  const path = address
    .replace(/#.*/, "")
    .replace(/\/$/, "")
    .replace(/\.(?:html|mdx?)$/, "");
  if (path === "" || /^[a-z]+:/.test(path)) return undefined;
  const fromRoot = path.replace(/^\/+/, "");
  const bases = [
    normalize(join(from, "..", path)),
    fromRoot,
    fromRoot.replace(/^[a-z]{2}(?:-[a-z]+)?\//, ""),
    `src/${fromRoot}`,
  ];
  return bases
    .flatMap((base) => [`${base}.md`, `${base}/index.md`])
    .map((one) => one.replaceAll("\\", "/"))
    .find((one) => pages.has(one));
}

function withTypo(question, random) {
  const words = question.split(" ");
  const longest = words.reduce((best, word, at) => (word.length > words[best].length ? at : best), 0);
  const letters = [...words[longest]];
  if (letters.length <= 4) return question;
  const at = 1 + random.whole(letters.length - 3);
  [letters[at], letters[at + 1]] = [letters[at + 1], letters[at]];
  return words.with(longest, letters.join("")).join(" ");
}

function shuffle(items, random) {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.whole(at + 1);
    [items[at], items[other]] = [items[other], items[at]];
  }
}
