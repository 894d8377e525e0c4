import type { Source } from "../../../src/core/state/source.js";
import { counted } from "../turn/amounts.js";
import { listed } from "../turn/sentences.js";
import type { Turn } from "../turn/turn.js";

/** A passage that a turn found. `number` is that of a citation; a passage that was left out has none. */
export interface Passage {
  readonly source: Source;
  readonly number?: number;
  /** Whether it helps, if passages were graded. */
  readonly verdict?: "helps" | "left out";
}

/** The passages of a turn as its prompt has them, and those that were left out after them. A passage that helps later is no such one. */
export function passagesOf({ kept }: Turn): Passage[] {
  if (kept === undefined) return [];
  const { sources, retrieval } = kept;
  if (retrieval === undefined) return sources.map((source, n) => ({ source, number: n + 1 }));
  const { passages, leftOut, graded } = retrieval;
  const isGraded = graded > 0 || leftOut.length > 0;
  const shown = passages.flatMap((place): Passage[] => {
    const source = sources[place];
    return source ? [{ source, number: place + 1, ...(isGraded && { verdict: "helps" }) }] : [];
  });
  const left = leftOut.map((source): Passage => ({ source, verdict: "left out" }));
  const byPlace = new Map([...left, ...shown].map((passage) => [placeOf(passage.source), passage]));
  return [...shown, ...left].filter((passage) => byPlace.get(placeOf(passage.source)) === passage);
}

const placeOf = ({ address, passage }: Source) => JSON.stringify([address, passage]);

/** A verdict about a citation or a quote, in words. `number` is that of the passage that it is about; `isKnown` if there is one. */
export interface Judged {
  readonly text: string;
  readonly isGood: boolean;
  readonly words: string;
  readonly number?: number | undefined;
  readonly isKnown: boolean;
}

/** What the citations of an answer are worth: whether the prompt had their passages, and whether these have their quotes. */
export function judgedCitations({ citations, answer = "", kept }: Turn): (Judged & { readonly quotes: Judged[] })[] {
  return citations.map(({ number, start, source, quotes }, n) => ({
    text: wordsBefore(answer, start, citations.findLast((one, place) => place < n && one.end <= start)?.end ?? 0),
    ...judgedSource(source, kept),
    number,
    isKnown: source !== null,
    quotes: quotes.map((quote) => ({ text: answer.slice(quote.start, quote.end), ...judgedQuote(quote) })),
  }));
}

/** The last words of an answer before a citation. */
function wordsBefore(answer: string, end: number, begin: number): string {
  const words = answer.slice(Math.max(begin, end - 80), end).replaceAll("**", "");
  return (end - 80 > begin ? words.replace(/^\S*\s/, "… ") : words).replace(/^[\s.,;:]+/, "").trim();
}

function judgedSource(source: number | null, kept: Turn["kept"]): Pick<Judged, "isGood" | "words"> {
  if (source === null) return { isGood: false, words: "no passage has this number" };
  const { retrieval, sources = [] } = kept ?? {};
  if (retrieval === undefined || retrieval.passages.includes(source)) return { isGood: true, words: "in this prompt" };
  const cited = sources[source];
  const isLeftOut = cited && retrieval.leftOut.some((one) => placeOf(one) === placeOf(cited));
  return { isGood: false, words: isLeftOut ? "left out of this prompt" : "not in this prompt" };
}

function judgedQuote({ isFound, foundIn }: Turn["citations"][number]["quotes"][number]): Omit<Judged, "text"> {
  const place = foundIn === null ? { isKnown: false } : { number: foundIn + 1, isKnown: true };
  if (isFound) return { isGood: true, words: "stands in the passage", ...place };
  return { isGood: false, words: place.isKnown ? "stands in another passage" : "stands in no passage", ...place };
}

/** What the searches of a turn found, and what became of it. */
export function documentsSentence(turn: Turn): string {
  const passages = passagesOf(turn);
  const [helps, leftOut] = (["helps", "left out"] as const).map(
    (verdict) => passages.filter((passage) => passage.verdict === verdict).length,
  );
  const searched = `${counted(turn.searches.length, "search", "searches")} found ${counted(passages.length, "passage")}`;
  const graded = listed([
    ...(helps ? [`${helps} ${helps === 1 ? "helps" : "help"}`] : []),
    ...(leftOut ? [`${leftOut} ${leftOut === 1 ? "was" : "were"} left out`] : []),
  ]);
  const complaint = turn.kept?.retrieval?.complaint;
  return [`${searched}${graded && `: ${graded}`}.`, complaint && `The check says: ${complaint}`]
    .filter(Boolean)
    .join(" ");
}
