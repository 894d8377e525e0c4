import { type CSSProperties, memo, type ReactNode } from "react";
import { count, duration, money, share } from "../turn/amounts.js";
import { type Bar, durationOf, endOf, type Row } from "./rows.js";
import type { Scale } from "./scale.js";

/** What all rows are drawn with. Without a scale no times are known. */
export interface Drawn {
  readonly scale: Scale | undefined;
  readonly now: number;
  /** The number of the chosen step. */
  readonly step: number | undefined;
  /** Shows a step. */
  readonly onStep: (step: number) => void;
}

/** A piece of work: its name, its bars, its time, its tokens and its cost. A press shows its step. */
export const WaterfallRow = memo(function WaterfallRow({
  row,
  scale,
  now,
  step: chosen,
  onStep,
}: Drawn & { readonly row: Row }) {
  const { step, bars, dollars } = row;
  const ms = durationOf(row, now);
  const cells = (
    <>
      <Name row={row} />
      <span className="track">
        {scale && bars.map((bar, n) => <BarView key={bar.key} {...{ row, bar, lane: n, scale, now }} />)}
      </span>
      <span className="figure number">{ms !== undefined && duration(ms)}</span>
      <span className="figure wide number">
        <Tokens row={row} />
      </span>
      <span className="figure wide number muted">{dollars !== undefined && money(dollars)}</span>
    </>
  );
  if (step === undefined) return <div className="waterfall-row">{cells}</div>;
  const current = step === chosen ? "step" : undefined;
  return (
    <button type="button" className="waterfall-row" aria-current={current} onClick={() => onStep(step)}>
      {cells}
    </button>
  );
});

function Name({ row: { label, depth, step, isReply } }: { readonly row: Row }) {
  return (
    <span className="on-one-line" dir="auto">
      <span className="muted number step-number">{depth === 0 && isReply && step}</span>
      {depth > 0 && <span className="muted">{" ".repeat(2 * depth - 2)}↳ </span>}
      {label}
    </span>
  );
}

/** Bars side by side are thin, and lie in up to three lanes. */
const LANES = 3;
const LANE_ROOM = 18;

interface BarShown {
  readonly row: Row;
  readonly bar: Bar;
  readonly lane: number;
  readonly scale: Scale;
  readonly now: number;
}

function BarView({ row: { kind, bars }, bar, lane, scale, now }: BarShown) {
  const end = endOf(bar, now);
  const left = scale.place(bar.begin);
  const lanes = Math.min(bars.length, LANES);
  const thin = { top: 4 + ((lane % lanes) * LANE_ROOM) / lanes, height: LANE_ROOM / lanes - 1 };
  const width = `max(2px, ${percent(scale.place(end) - left)})`;
  const style: CSSProperties = { left: percent(left), width, ...(lanes > 1 && thin) };
  const isCut = kind === "person" && scale.cuts.some(({ begin }) => begin === bar.begin);
  const untilFirst = bar.firstWord !== undefined && end > bar.begin && (bar.firstWord - bar.begin) / (end - bar.begin);
  return (
    <span className="bar" data-kind={kind} data-failed={bar.hasFailed} data-open={bar.end === undefined} style={style}>
      {untilFirst !== false && <span className="until-first" style={{ width: percent(Math.min(1, untilFirst)) }} />}
      {isCut && <span className="cut" />}
    </span>
  );
}

function Tokens({ row: { inputTokens, cachedTokens = 0 } }: { readonly row: Row }): ReactNode {
  if (inputTokens === undefined) return null;
  return (
    <>
      <span className="cached">
        <span style={{ width: percent(cachedTokens / Math.max(1, inputTokens)) }} />
      </span>
      {count(inputTokens)}
      {cachedTokens > 0 && <span className="only-spoken">, {share(cachedTokens, inputTokens)} from the cache</span>}
    </>
  );
}

/** A part of a width. */
export function percent(part: number): string {
  return `${Math.round(part * 1e4) / 100}%`;
}
