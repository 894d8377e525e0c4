import { type CSSProperties, type ReactElement, type ReactNode, useEffect, useMemo, useRef } from "react";
import { VList, type VListHandle } from "virtua";
import { costText, count, duration, money, share, timeOfDay } from "../turn/amounts.js";
import type { Turn } from "../turn/turn.js";
import { waitedMs, waitsOf } from "../turn/waits.js";
import { type Bar, durationOf, endOf, legendOf, type Row, type RowNames, rowsOf, stretchOf, sumOf } from "./rows.js";
import { type Scale, scaleOf } from "./scale.js";
import { useNow } from "./use-now.js";
import "./waterfall.css";

/** So many rows stand on the page. More of them have a list of their own, which draws those in view. */
const FEW = 200;

/** The times of a turn: a row for each piece of work, with its tokens and its cost, and the sum. */
export function Waterfall({
  turn,
  names,
  step,
  onStep,
}: {
  readonly turn: Turn;
  readonly names: RowNames;
  readonly step: number | undefined;
  readonly onStep: (step: number) => void;
}) {
  const rows = useMemo(() => rowsOf(turn, names), [turn, names]);
  const waits = useMemo(() => waitsOf(turn), [turn]);
  const now = useNow(turn.now ? 250 : turn.waiting.length > 0 ? 1000 : undefined);
  const stretch = useMemo(() => stretchOf(rows, now), [rows, now]);
  const asked = rows.at(-1)?.key === "waiting" ? (rows.at(-1)?.bars ?? []) : [];
  const open = asked.map((bar) => ({ begin: bar.begin, end: endOf(bar, now) }));
  const scale = stretch && scaleOf(stretch, [...waits, ...open]);
  if (rows.length === 0) return null;
  const drawn = (row: Row) => (
    <WaterfallRow
      key={row.key}
      {...{ row, scale, now, onStep }}
      isChosen={row.step !== undefined && row.step === step}
    />
  );
  return (
    <div className="waterfall">
      <div className="waterfall-head">
        <h3>Time</h3>
        {scale && <Legend rows={rows} now={now} />}
      </div>
      {scale === undefined && <p className="muted">Times of single calls were not kept.</p>}
      <div className="waterfall-rows">
        <Marks scale={scale} />
        {rows.length <= FEW ? rows.map(drawn) : <LongList rows={rows} step={step} drawn={drawn} />}
        <Sum turn={turn} rows={rows} worked={stretch && stretch.end - stretch.begin} />
      </div>
    </div>
  );
}

/** Rows in a list of their own, which goes to the chosen step. */
function LongList({
  rows,
  step,
  drawn,
}: {
  readonly rows: readonly Row[];
  readonly step: number | undefined;
  readonly drawn: (row: Row) => ReactElement;
}) {
  const list = useRef<VListHandle>(null);
  const chosen = step === undefined ? -1 : rows.findIndex((row) => row.step === step);
  useEffect(() => {
    if (chosen >= 0) list.current?.scrollToIndex(chosen, { align: "nearest" });
  }, [chosen]);
  return (
    <div className="long">
      <VList ref={list} data={rows}>
        {drawn}
      </VList>
    </div>
  );
}

function Legend({ rows, now }: { readonly rows: readonly Row[]; readonly now: number }) {
  const sums = legendOf(rows, now);
  const people = [...new Set(rows.filter(({ kind }) => kind === "person").map(({ label }) => label))];
  const parts = [
    ["model", "model", sums.model],
    ["tool", "tools", sums.tool],
    ["person", people.join(", "), sums.person],
  ] as const;
  return (
    <p className="legend number">
      {parts
        .filter(([, , ms]) => ms > 0)
        .map(([kind, name, ms]) => (
          <span key={kind} data-kind={kind}>
            {name} {duration(ms)}
          </span>
        ))}
    </p>
  );
}

/** The times of the scale, and lines down from them. */
function Marks({ scale }: { readonly scale: Scale | undefined }) {
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

function WaterfallRow({
  row,
  scale,
  now,
  isChosen,
  onStep,
}: {
  readonly row: Row;
  readonly scale: Scale | undefined;
  readonly now: number;
  readonly isChosen: boolean;
  readonly onStep: (step: number) => void;
}) {
  const { step, kind, bars, dollars } = row;
  const ms = durationOf(row, now);
  const cells = (
    <>
      <span className="on-one-line" dir="auto">
        <Name row={row} />
      </span>
      <span className="track">
        {scale && bars.map((bar, n) => <BarView key={bar.key} {...{ bar, n, kind, scale, now }} count={bars.length} />)}
      </span>
      <span className="figure number">{ms === undefined ? "" : duration(ms)}</span>
      <span className="figure wide number">
        <Tokens row={row} />
      </span>
      <span className="figure wide number muted">{dollars === undefined ? "" : money(dollars)}</span>
    </>
  );
  if (step === undefined) return <div className="waterfall-row">{cells}</div>;
  return (
    <button
      type="button"
      className="waterfall-row"
      aria-current={isChosen ? "step" : undefined}
      onClick={() => onStep(step)}
    >
      {cells}
    </button>
  );
}

function Name({ row: { label, kind, depth, step, isReply, bars } }: { readonly row: Row }): ReactNode {
  const [bar] = bars;
  const since =
    kind === "person" && bar && bar.end === undefined ? `, since ${timeOfDay(new Date(bar.begin).toISOString())}` : "";
  return (
    <>
      {depth === 0 && <span className="muted number step-number">{isReply ? step : ""}</span>}
      {depth > 0 && <span className="muted">{" ".repeat(2 * depth)}↳ </span>}
      {label}
      {since}
    </>
  );
}

function BarView({
  bar,
  n,
  count,
  kind,
  scale,
  now,
}: {
  readonly bar: Bar;
  readonly n: number;
  readonly count: number;
  readonly kind: Row["kind"];
  readonly scale: Scale;
  readonly now: number;
}) {
  const [left, right] = [scale.place(bar.begin), scale.place(endOf(bar, now))];
  const length = bar.end === undefined ? endOf(bar, now) - bar.begin : bar.end - bar.begin;
  const isCut = kind === "person" && scale.cuts.some(({ begin }) => begin === bar.begin);
  const first = bar.firstWord === undefined || length === 0 ? undefined : (bar.firstWord - bar.begin) / length;
  const lanes = Math.min(count, 3);
  const place: CSSProperties = {
    left: percent(left),
    width: `max(2px, ${percent(right - left)})`,
    ...(lanes > 1 && { top: `${4 + ((n % lanes) * 18) / lanes}px`, height: `${18 / lanes - 1}px` }),
  };
  return (
    <span
      className="bar"
      data-kind={kind}
      data-failed={bar.hasFailed}
      data-open={bar.end === undefined || undefined}
      style={place}
    >
      {first !== undefined && <span className="until-first" style={{ width: percent(Math.min(1, first)) }} />}
      {isCut && <span className="cut">⁄⁄</span>}
    </span>
  );
}

function Tokens({ row: { inputTokens, cachedTokens = 0 } }: { readonly row: Row }): ReactNode {
  if (inputTokens === undefined) return "";
  return (
    <>
      <span className="cached">
        <span style={{ width: share(cachedTokens, inputTokens).replace(" ", "") }} />
      </span>
      {count(inputTokens)}
      {cachedTokens > 0 && <span className="only-spoken">, {share(cachedTokens, inputTokens)} from the cache</span>}
    </>
  );
}

/** The sums of a turn: those that are kept, else those of its rows so far. */
function Sum({
  turn,
  rows,
  worked,
}: {
  readonly turn: Turn;
  readonly rows: readonly Row[];
  readonly worked: number | undefined;
}) {
  const { usage, cost, workedMs } = turn;
  const sum = useMemo(() => sumOf(rows), [rows]);
  const whole = workedMs === undefined ? worked : workedMs + waitedMs(waitsOf(turn));
  const price = cost ? costText(cost) : sum.dollars === undefined ? undefined : money(sum.dollars);
  return (
    <div className="waterfall-row sum">
      <span>Turn</span>
      <span />
      <span className="figure number">{whole === undefined ? "" : duration(whole)}</span>
      <span className="figure wide number">{count(usage?.inputTokens ?? sum.inputTokens)}</span>
      <span className="figure wide number">{price}</span>
    </div>
  );
}

function percent(part: number): string {
  return `${Math.round(part * 1e4) / 100}%`;
}
