import { type Address, writeAddress } from "../address.js";
import { judgedCitations } from "../step/judged.js";
import { listed } from "../turn/sentences.js";
import type { Turn } from "../turn/turn.js";
import type { Mark } from "./markdown/marked-text.js";

/** The marks of an answer: its citations, which open their passages, and the quotes that stand in none of them. */
export function citationMarks(turn: Turn, thread: string | undefined): Mark[] {
  const judged = judgedCitations(turn);
  const places = new Map<number, { readonly end: number; readonly numbers: CitedNumber[] }>();
  const quotes = new Map<number, Mark>();
  for (const [index, { number, start, end, quotes: near }] of turn.citations.entries()) {
    const { isGood = true, words = "", quotes: judgedQuotes = [] } = judged[index] ?? {};
    const title = turn.citedSources.find((source) => source.number === number)?.title;
    const place = places.get(start) ?? { end, numbers: [] };
    place.numbers.push({ number, isGood, title: [title, words].filter(Boolean).join(": ") });
    places.set(start, place);
    for (const [n, quote] of near.entries()) {
      const verdict = judgedQuotes[n];
      if (verdict === undefined || verdict.isGood) continue;
      const around = { className: "quote-not-found", title: `This quote ${verdict.words}.` };
      quotes.set(quote.start, { start: quote.start, end: quote.end, around });
    }
  }
  const shown = [...places].map(([start, { end, numbers }]) => {
    return { start, end, instead: <Citations numbers={numbers} place={{ thread, turn: turn.number }} /> };
  });
  return [...shown, ...quotes.values()];
}

interface CitedNumber {
  readonly number: number;
  readonly isGood: boolean;
  readonly title: string;
}

/** The numbers of a citation such as `[1, 3]`. */
function Citations({ numbers, place }: { readonly numbers: readonly CitedNumber[]; readonly place: Address }) {
  return numbers.map(({ number, isGood, title }) => (
    <a
      key={number}
      className={isGood ? "citation" : "citation wrong"}
      href={writeAddress({ ...place, part: "documents" })}
      title={title}
      aria-label={`Source ${number}${title && `: ${title}`}`}
    >
      {number}
    </a>
  ));
}

/** What is wrong with the citations of an answer; undefined if nothing is. */
export function wrongCitations(turn: Turn): string | undefined {
  const judged = judgedCitations(turn);
  const wrong = new Map<string, Set<string>>();
  for (const [index, { number }] of turn.citations.entries()) {
    const { isGood, words } = judged[index] ?? { isGood: true, words: "" };
    if (!isGood) wrong.set(words, (wrong.get(words) ?? new Set()).add(`[${number}]`));
  }
  if (wrong.size === 0) return undefined;
  return `Not all citations hold: ${[...wrong].map(([words, numbers]) => `${listed([...numbers])} ${words}`).join("; ")}.`;
}
