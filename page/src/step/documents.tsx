import { useState } from "react";
import { Button } from "../parts/button.js";
import { Chip } from "../parts/chip.js";
import { LongText } from "../parts/long-text.js";
import { counted, duration } from "../turn/amounts.js";
import type { Search, Turn } from "../turn/turn.js";
import { documentsSentence, type Judged, judgedCitations, type Passage, passagesOf } from "./judged.js";
import { inParts, Some } from "./section.js";

/** Tells whether a turn looked into documents. */
export function hasDocuments({ searches, kept }: Turn): boolean {
  return searches.length > 0 || kept?.retrieval !== undefined || (kept?.sources ?? []).length > 0;
}

/** What a turn searched for, the passages that it found, and what its citations are worth. */
export function Documents({ turn }: { readonly turn: Turn }) {
  const passages = passagesOf(turn);
  const best = Math.max(0, ...passages.slice(0, 1_000).map(({ source }) => source.score ?? 0));
  return (
    <>
      <header className="step-head">
        <h2>Documents</h2>
        <p dir="auto">{documentsSentence(turn)}</p>
      </header>
      <Some items={turn.searches}>{(search, n) => <SearchView search={search} number={n + 1} />}</Some>
      {passages.length > 0 && (
        <section className="step-section">
          <h3>Passages</h3>
          <Some items={passages}>{(passage) => <PassageView passage={passage} best={best} />}</Some>
        </section>
      )}
      {turn.citations.length > 0 && (
        <section className="step-section">
          <h3>Citations</h3>
          <Some items={judgedCitations(turn)}>
            {({ quotes, ...citation }) => (
              <div className="citation">
                <JudgedView judged={citation} />
                <Some items={quotes}>{(quote) => <JudgedView judged={quote} />}</Some>
              </div>
            )}
          </Some>
        </section>
      )}
    </>
  );
}

function SearchView({ search, number }: { readonly search: Search; readonly number: number }) {
  const { retriever, query, found, ms, error, notSearched } = search;
  const meta = inParts(retriever, counted(found, "passage"), ms !== undefined && duration(ms));
  return (
    <section className="step-section">
      <h3>{`Search ${number}`}</h3> <span className="muted number">{meta}</span>
      <p dir="auto">{`“${query}”`}</p>
      {error !== undefined && <p className="problem">{`It failed: ${error}`}</p>}
      {notSearched !== undefined && <p className="muted">{notSearched}</p>}
    </section>
  );
}

function PassageView({
  passage: { source, number, verdict },
  best,
}: {
  readonly passage: Passage;
  readonly best: number;
}) {
  const [isOpen, setOpen] = useState(false);
  const { title, heading, address, passage: text = "", score } = source;
  return (
    <article
      className="passage"
      id={number === undefined ? undefined : passageId(number)}
      tabIndex={-1}
      data-left-out={verdict === "left out"}
    >
      <span className="passage-number">{number ?? "–"}</span>
      <div className="passage-text" data-folded={!isOpen}>
        <b dir="auto">{heading?.split(" > ").at(-1) || title}</b> <span className="muted">{address}</span>
        {isOpen ? <LongText text={text} /> : <p dir="auto">{text.slice(0, 600)}</p>}
        {(text.length > 220 || text.includes("\n")) && (
          <Button kind="flat" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Fold" : "Show all of it"}
          </Button>
        )}
      </div>
      <div className="passage-score">
        <span className="muted number">{score !== undefined && Number(score.toPrecision(3))}</span> {verdict}
        {score !== undefined && (
          <div className="score-bar" aria-hidden="true">
            <i style={{ width: `${best > 0 ? Math.round((100 * Math.max(0, score)) / best) : 0}%` }} />
          </div>
        )}
      </div>
    </article>
  );
}

const passageId = (number: number) => `passage-${number}`;

function JudgedView({ judged: { text, isGood, words, number, isKnown } }: { readonly judged: Judged }) {
  const show = () => document.getElementById(passageId(number ?? 0))?.focus();
  return (
    <p className="judged">
      <Button kind="flat" disabled={!isKnown} onClick={show}>
        {number === undefined ? "–" : `[${number}]`}
      </Button>
      <span dir="auto">{text}</span>
      <Chip tone={isGood ? "good" : "bad"}>{words}</Chip>
    </p>
  );
}
