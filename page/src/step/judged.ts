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

/** The passages of a turn, in the order of their scores, and those that were left out after them. */
export function passagesOf({ kept }: Turn): Passage[] {
  if (kept === undefined) return [];
  const { sources, retrieval } = kept;
  if (retrieval === undefined) return sources.map((source, n) => ({ source, number: n + 1 }));
  const { passages, leftOut, graded } = retrieval;
  const isGraded = graded > 0 || leftOut.length > 0;
  const shown = passages.flatMap((place) => {
    const source = sources[place];
    return source ? [{ source, number: place + 1, ...(isGraded && { verdict: "helps" as const }) }] : [];
  });
  return [...shown, ...leftOut.map((source) => ({ source, verdict: "left out" as const }))];
}

/** A verdict about a citation or a quote, in words. `passage` is the number of the one that it is about. */
export interface Judged {
  readonly text: string;
  readonly isGood: boolean;
  readonly words: string;
  readonly passage?: number | undefined;
}

/** What the citations of an answer are worth: whether the prompt had their passages, and whether these have their quotes. */
export function judgedCitations({ citations, answer = "", kept }: Turn): (Judged & { readonly quotes: Judged[] })[] {
  return citations.map(({ number, start, source, quotes }) => ({
    text: answer.slice(Math.max(0, start - 80), start),
    ...judgedSource(source, kept),
    passage: number,
    quotes: quotes.map((quote) => ({ text: answer.slice(quote.start, quote.end), ...judgedQuote(quote) })),
  }));
}

function judgedSource(source: number | null, kept: Turn["kept"]): Pick<Judged, "isGood" | "words"> {
  if (source === null) return { isGood: false, words: "no passage has this number" };
  const { retrieval, sources = [] } = kept ?? {};
  if (retrieval === undefined || retrieval.passages.includes(source)) return { isGood: true, words: "in this prompt" };
  const cited = sources[source];
  const isLeftOut = retrieval.leftOut.some((one) => one.address === cited?.address && one.passage === cited?.passage);
  return { isGood: false, words: isLeftOut ? "left out of this prompt" : "not in this prompt" };
}

function judgedQuote({ isFound, foundIn }: Turn["citations"][number]["quotes"][number]): Omit<Judged, "text"> {
  const passage = foundIn === null ? undefined : foundIn + 1;
  if (isFound) return { isGood: true, words: "stands in the passage", passage };
  return {
    isGood: false,
    words: passage === undefined ? "stands in no passage" : `stands in another passage`,
    passage,
  };
}

/** What the searches of a turn found, and what became of it. */
export function documentsSentence(turn: Turn): string {
  const passages = passagesOf(turn);
  const [helps, leftOut] = (["helps", "left out"] as const).map(
    (verdict) => passages.filter((passage) => passage.verdict === verdict).length,
  );
  const found = turn.searches.reduce((sum, search) => sum + search.found, 0);
  const searched = `${counted(turn.searches.length, "search", "searches")} found ${counted(found, "passage")}.`;
  const graded = listed([
    ...(helps ? [`${helps} ${helps === 1 ? "helps" : "help"}`] : []),
    ...(leftOut ? [`${leftOut} ${leftOut === 1 ? "was" : "were"} left out`] : []),
  ]);
  const complaint = turn.kept?.retrieval?.complaint;
  return [searched, graded && `${graded}.`, complaint && `The check says: ${complaint}`].filter(Boolean).join(" ");
}
