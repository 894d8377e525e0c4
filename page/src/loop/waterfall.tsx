import { useEffect, useMemo, useRef } from "react";
import { VList, type VListHandle } from "virtua";
import { costText, count, duration, money } from "../turn/amounts.js";
import type { Turn } from "../turn/turn.js";
import { waitedMs, waitsOf } from "../turn/waits.js";
import { endOf, legendOf, type Row, type RowNames, rowsOf, stretchOf, sumOf } from "./rows.js";
import { type Scale, scaleOf } from "./scale.js";
import { useNow } from "./use-now.js";
import { type Drawn, percent, WaterfallRow } from "./waterfall-row.js";
import "./waterfall.css";

/** So many rows stand on the page. More of them have a list of their own, which draws those in view. */
const FEW = 200;

/** The times of a turn: a row for each piece of work, with its tokens and its cost, and the sum. */
export function Waterfall({
  turn,
  names,
  step,
  onStep,
}: Pick<Drawn, "step" | "onStep"> & { readonly turn: Turn; readonly names: RowNames }) {
  const rows = useMemo(() => rowsOf(turn, names), [turn, names]);
  const waits = useMemo(() => waitsOf(turn), [turn]);
  const now = useNow(turn.now ? 250 : turn.waiting.length > 0 ? 1000 : undefined);
  const stretch = useMemo(() => stretchOf(rows, now), [rows, now]);
  const open = rows.filter(({ key }) => key === "waiting").flatMap(({ bars }) => bars);
  const openWaits = open.map((bar) => ({ begin: bar.begin, end: endOf(bar, now) }));
  const scale = stretch && scaleOf(stretch, [...waits, ...openWaits]);
  const drawn = { scale, now, step, onStep };
  if (rows.length === 0) return null;
  return (
    <div className="waterfall">
      <div className="waterfall-head">
        <h3>Time</h3>
        {scale && <Legend rows={rows} now={now} />}
      </div>
      {scale === undefined && <p className="muted">Times of single calls were not kept.</p>}
      <div className="waterfall-rows">
        <Heads scale={scale} />
        {rows.length > FEW ? <LongList rows={rows} drawn={drawn} /> : rows.map((row) => rowView(row, drawn))}
        <Sum turn={turn} rows={rows} ms={stretch && stretch.end - stretch.begin} />
      </div>
    </div>
  );
}

function rowView(row: Row, drawn: Drawn) {
  return <WaterfallRow key={row.key} row={row} {...drawn} />;
}

/** Rows in a list of their own, which goes to the chosen step. */
function LongList({ rows, drawn }: { readonly rows: readonly Row[]; readonly drawn: Drawn }) {
  const list = useRef<VListHandle>(null);
  const chosen = drawn.step === undefined ? -1 : rows.findIndex(({ step }) => step === drawn.step);
  useEffect(() => {
    if (chosen >= 0) list.current?.scrollToIndex(chosen, { align: "nearest" });
  }, [chosen]);
  return (
    <div className="long">
      <VList ref={list} data={rows}>
        {(row) => rowView(row, drawn)}
      </VList>
    </div>
  );
}

/** How long models, tools and people took. */
function Legend({ rows, now }: { readonly rows: readonly Row[]; readonly now: number }) {
  const sums = legendOf(rows, now);
  const people = new Set(rows.filter(({ kind }) => kind === "person").map(({ label }) => label));
  const named = { model: "model", tool: "tools", person: [...people].join(", ") };
  const kinds = (["model", "tool", "person"] as const).filter((kind) => sums[kind] > 0);
  return (
    <p className="legend number">
      {kinds.map((kind) => (
        <span key={kind} data-kind={kind}>{`${named[kind]} ${duration(sums[kind])}`}</span>
      ))}
    </p>
  );
}

/** The names of the columns, and the times of the scale with lines down from them. */
function Heads({ scale }: { readonly scale: Scale | undefined }) {
  return (
    <div className="waterfall-row heads">
      <span />
      <span className="track">
        {scale?.marks.map(({ ms, place }) => (
          <span key={ms} className="mark number" style={{ left: percent(place) }}>
            {ms === 0 ? "0" : duration(ms)}
          </span>
        ))}
      </span>
      <span className="figure">time</span>
      <span className="figure wide">tokens in</span>
      <span className="figure wide">money</span>
    </div>
  );
}

interface Summed {
  readonly turn: Turn;
  readonly rows: readonly Row[];
  /** The time from the beginning to the end of its rows. */
  readonly ms: number | undefined;
}

/** The sums of a turn: those that are kept, else those of its rows so far. */
function Sum({ turn, rows, ms }: Summed) {
  const { usage, cost, workedMs } = turn;
  const sum = useMemo(() => sumOf(rows), [rows]);
  const tokens = usage?.inputTokens ?? sum.inputTokens;
  const whole = workedMs === undefined ? ms : workedMs + waitedMs(waitsOf(turn));
  return (
    <div className="waterfall-row sum">
      <span>Turn</span>
      <span />
      <span className="figure number">{whole !== undefined && duration(whole)}</span>
      <span className="figure wide number">{tokens > 0 && count(tokens)}</span>
      <span className="figure wide number">
        {tokens > 0 && (cost ? costText(cost) : sum.dollars !== undefined && money(sum.dollars))}
      </span>
    </div>
  );
}
