import { askedSince, hasFailed, nameOf, purposeWords } from "../turn/sentences.js";
import type { AskedModel, Call, Step, Turn } from "../turn/turn.js";
import { type Wait, waitsOf } from "../turn/waits.js";
import type { ServedAgent } from "../wire.js";
import type { Stretch } from "./scale.js";

/** A piece of work in a row. Without an end it is not over. */
export interface Bar {
  readonly key: string;
  readonly begin: number;
  readonly end?: number | undefined;
  /** When the first word of a model came. */
  readonly firstWord?: number | undefined;
  readonly hasFailed?: boolean;
}

/** A row of the times of a turn. */
export interface Row {
  readonly key: string;
  readonly kind: "model" | "tool" | "person";
  readonly label: string;
  /** 0 for the agent itself, 1 for one in its tools, and so on. */
  readonly depth: number;
  /** The number of the step of the outer turn, and whether the row is the first of it. */
  readonly step?: number | undefined;
  readonly isReply?: boolean;
  /** None if their times were not kept. */
  readonly bars: readonly Bar[];
  readonly inputTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
  readonly dollars?: number | undefined;
}

/** What the rows of a turn are made with. */
export interface RowNames {
  /** The node that leaves the replies of steps. */
  readonly reply: string;
  readonly caller?: string | undefined;
  readonly prices: Prices;
}
type Price = NonNullable<NonNullable<ServedAgent["models"]>[number]["price"]>;
export type Prices = ReadonlyMap<string, Price>;

/** Finds the prices of the models of an agent, and of agents in its tools. */
export function pricesOf({ models = [], tools = [] }: Pick<ServedAgent, "models" | "tools">): Prices {
  const inner = tools.flatMap(({ agent }) => (agent ? [...pricesOf(agent)] : []));
  return new Map([...inner, ...models.flatMap(({ name, price }) => (price ? [[name, price] as const] : []))]);
}

/** What a turn did, a row for each piece of work, in the order in which they began. */
export function rowsOf(turn: Turn, names: RowNames): Row[] {
  const waits = waitsOf(turn).map((wait) => [waitRow(wait, turn, names)]);
  return [...sorted([...workOf(turn, names, 0, undefined), ...waits]).flat(), ...openWait(turn)];
}

/** The work of a turn: rows that stay together, as those of an agent in a tool stay below its call. */
function workOf(turn: Turn, names: RowNames, depth: number, outer: number | undefined): Row[][] {
  const { steps, quiet, searches } = turn;
  const isRunning = turn.now !== undefined;
  const [quietBy, searchesBy] = [byReplies(quiet), byReplies(searches)];
  const between = (replies: number): Row[][] => [
    ...(quietBy.get(replies) ?? []).map((call, n): Row[] => [
      {
        ...modelRow(call, purposeWords(call.purpose), names, isRunning),
        key: `quiet ${replies} ${n}`,
        depth,
        step: outer,
      },
    ]),
    ...(searchesBy.get(replies) ?? []).map(({ retriever, at, ms, error }, n): Row[] => {
      const bars = barOf({ at, ms }, { isRunning, hasFailed: error !== undefined });
      return [{ key: `search ${replies} ${n}`, kind: "tool", label: `search: ${retriever}`, depth, step: outer, bars }];
    }),
  ];
  const ofSteps = steps.flatMap((step, n): Row[][] => {
    const number = outer ?? step.number;
    const reply = { label: names.reply, depth, step: number, isReply: true };
    const asked = step.asked ? [[{ ...modelRow(step.asked, "", names, isRunning), ...reply, key: `reply ${n}` }]] : [];
    return [...between(n), ...asked, ...callRows(step, names, { depth, step: number, isRunning })];
  });
  return [...ofSteps, ...between(steps.length)];
}

function byReplies<One extends { readonly after: number }>(all: readonly One[]): Map<number, One[]> {
  const groups = new Map<number, One[]>();
  for (const one of all) {
    const group = groups.get(one.after);
    if (group) group.push(one);
    else groups.set(one.after, [one]);
  }
  return groups;
}

/** Rows in the order in which they begin. What has no times comes after what was before it. */
function sorted(groups: readonly Row[][]): Row[][] {
  let last = Number.NEGATIVE_INFINITY;
  const timed = groups.map((rows) => {
    last = rows[0]?.bars[0]?.begin ?? last;
    return { rows, begin: last };
  });
  return timed.sort((one, other) => one.begin - other.begin).map(({ rows }) => rows);
}

type Untold = "key" | "depth" | "step";

function modelRow(asked: AskedModel, label: string, { prices }: RowNames, isRunning: boolean): Omit<Row, Untold> {
  const { at, ms, firstMs, model, inputTokens, cacheReadTokens } = asked;
  const bars = barOf({ at, ms }, { isRunning }).map((bar) => ({
    ...bar,
    firstWord: firstMs === undefined ? undefined : bar.begin + firstMs,
  }));
  const price = prices.get(model);
  return {
    ...{ kind: "model", label, bars, inputTokens, cachedTokens: cacheReadTokens },
    dollars: price && inputTokens !== undefined ? dollarsOf(asked, price) : undefined,
  };
}

function dollarsOf({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0 }: AskedModel, price: Price): number {
  const cached = cacheReadTokens * (price.cacheRead ?? price.input);
  return ((inputTokens - cacheReadTokens) * price.input + cached + outputTokens * price.output) / 1_000_000;
}

interface BarFacts {
  readonly key?: string;
  readonly isRunning: boolean;
  readonly hasFailed?: boolean;
}

/** What has no end in a turn that does not run stopped somewhere, and nobody knows when. */
function barOf(
  { at, ms }: { readonly at?: string | undefined; readonly ms?: number | undefined },
  { key = "", isRunning, hasFailed = false }: BarFacts,
): Bar[] {
  if (at === undefined) return [];
  const begin = Date.parse(at);
  return [
    { key, begin, end: ms !== undefined ? begin + ms : isRunning ? undefined : begin, ...(hasFailed && { hasFailed }) },
  ];
}

/** The calls of a step: what runs side by side is one row. */
function callRows(
  { calls, number }: Step,
  names: RowNames,
  { depth, step, isRunning }: { readonly depth: number; readonly step: number; readonly isRunning: boolean },
): Row[][] {
  const isMade = ({ status, at, decision }: Call) => {
    const isBegun = status !== undefined || (isRunning && at !== undefined);
    return isBegun && decision?.type !== "refuse" && decision?.type !== "answer";
  };
  return sideBySide(calls.filter(isMade)).map((group) => {
    const bars = group.flatMap((call) => {
      return barOf(call, { key: call.id, isRunning: call.status === undefined, hasFailed: hasFailed(call) });
    });
    const label = [...new Set(group.map(({ tool }) => tool))].join(", ");
    const row: Row = { key: `call ${number} ${group[0]?.id}`, kind: "tool", label, depth, step, bars };
    const inner = group.flatMap((call) =>
      call.inner.flatMap((turn, n) =>
        sorted(workOf(turn, { ...names, reply: "plan" }, depth + 1, step))
          .flat()
          .map((one) => ({ ...one, key: `${call.id} ${n} ${one.key}` })),
      ),
    );
    return [row, ...inner];
  });
}

/** Groups calls whose times overlap. */
function sideBySide(calls: readonly Call[]): Call[][] {
  const groups: { readonly calls: Call[]; end: number }[] = [];
  const begin = ({ at }: Call) => (at === undefined ? 0 : Date.parse(at));
  for (const call of [...calls].sort((one, other) => begin(one) - begin(other))) {
    const last = groups.at(-1);
    const end = call.status === undefined ? Number.POSITIVE_INFINITY : begin(call) + (call.ms ?? 0);
    if (last && begin(call) < last.end) {
      last.calls.push(call);
      last.end = Math.max(last.end, end);
    } else groups.push({ calls: [call], end });
  }
  return groups.map((group) => group.calls);
}

function waitRow({ begin, end, by, calls }: Wait, { steps }: Turn, { caller }: RowNames): Row {
  const step = steps.find((one) => one.calls.some(({ id }) => calls.includes(id)))?.number;
  return {
    key: `wait ${begin}`,
    kind: "person",
    label: nameOf(by, caller),
    depth: 0,
    step,
    bars: [{ key: "", begin, end }],
  };
}

/** A row for what a person is asked now. */
function openWait({ waiting, kept, steps }: Turn): Row[] {
  const since = askedSince(waiting) ?? kept?.writtenAt;
  if (waiting.length === 0) return [];
  const bars = since === undefined ? [] : [{ key: "", begin: Date.parse(since) }];
  return [{ key: "waiting", kind: "person", label: "you", depth: 0, step: steps.at(-1)?.number, bars }];
}

/** From the beginning of the first row to the end of the last one. What is not over goes on to `now`. */
export function stretchOf(rows: readonly Row[], now: number): Stretch | undefined {
  let [begin, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { bars } of rows) {
    for (const bar of bars) {
      begin = Math.min(begin, bar.begin);
      end = Math.max(end, endOf(bar, now));
    }
  }
  return begin > end ? undefined : { begin, end };
}

/** The end of a bar so far. */
export function endOf({ begin, end }: Bar, now: number): number {
  return end ?? Math.max(begin, now);
}

/** The milliseconds of a row so far; undefined if its times were not kept. */
export function durationOf({ bars }: Row, now: number): number | undefined {
  if (bars.length === 0) return undefined;
  return Math.max(...bars.map((bar) => endOf(bar, now))) - Math.min(...bars.map(({ begin }) => begin));
}

/** What the agent itself did for how long: rows of agents in its tools are a part of theirs. */
export function legendOf(rows: readonly Row[], now: number): Readonly<Record<Row["kind"], number>> {
  const sums = { model: 0, tool: 0, person: 0 };
  for (const row of rows) if (row.depth === 0) sums[row.kind] += durationOf(row, now) ?? 0;
  return sums;
}

/** The sums of all rows. The dollars are undefined if a price is not known. */
export function sumOf(rows: readonly Row[]): { readonly inputTokens: number; readonly dollars: number | undefined } {
  const asked = rows.filter(({ inputTokens }) => inputTokens !== undefined);
  const add = (of: (row: Row) => number) => asked.reduce((total, row) => total + of(row), 0);
  const isPriced = asked.every(({ dollars }) => dollars !== undefined);
  return {
    inputTokens: add(({ inputTokens = 0 }) => inputTokens),
    dollars: isPriced ? add(({ dollars = 0 }) => dollars) : undefined,
  };
}
