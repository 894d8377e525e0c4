import { type Box, boxWidth, isDot, labelWidth, type NamedGraph, type Picture, type Way } from "./picture.js";

/** The width that a picture tries to fit in. */
const WIDTH = 587;
const BOX = 28;
/** The distance of a bracket from the boxes, and from the next one. */
const RISE = 15;
const LEVEL = 17;
const CORNER = 6;
/** How far from the middle of a box brackets begin and end. */
const PORT = 7;
const MARGIN = 8;
/** The room between the words of a box and its sides. */
const WIDE = 10;
const NARROW = 8;

/** Puts the nodes of a small graph on one line: what jumps forward is a bracket above it, what goes back is one below. */
export function layout({ nodes, edges }: NamedGraph): Picture {
  const order = orderOf({ nodes, edges });
  const place = new Map(order.map(({ id }, n) => [id, n]));
  const placed = edges.map((edge) => ({ ...edge, from: place.get(edge.source) ?? 0, to: place.get(edge.target) ?? 0 }));
  const besides = placed.filter(({ from, to }) => to === from + 1);
  const row = wideRow(order, besides) ?? narrowRow(order, besides);
  const straight = placed.filter((edge) => besides.includes(edge) && (row.hasLabels || edge.label === ""));
  const brackets = stacked(
    placed.filter((edge) => !straight.includes(edge)),
    row.middles,
  );
  const [above, below] = [heightOf(brackets, "above"), heightOf(brackets, "below")];
  const y = above + BOX / 2 + 2;
  const boxes = order.map((node, n): Box => {
    const [x = 0, width = 0] = [row.middles[n], row.widths[n]];
    return { ...node, isDot: isDot(node.id), x, y, width, height: isDot(node.id) ? width : BOX };
  });
  const at = (n: number) => boxes[n] ?? { x: 0, y, width: 0, height: 0 };
  const ways = [
    ...straight.map((edge) => straightWay(edge, at(edge.from), at(edge.to))),
    ...brackets.map((bracket) => bracketWay(bracket, at(bracket.from), at(bracket.to))),
  ];
  return { width: row.width, height: y + BOX / 2 + below + 2, boxes, ways };
}

/** The nodes in the order of the way: each before those that are only reached from it. The end comes last. */
function orderOf({ nodes, edges }: NamedGraph): NamedGraph["nodes"] {
  const behind: string[] = [];
  const seen = new Set<string>();
  const visit = (id: string) => {
    if (seen.has(id)) return;
    seen.add(id);
    for (const { source, target } of edges) if (source === id) visit(target);
    behind.push(id);
  };
  for (const { id } of [...nodes].sort((one, other) => Number(isDot(other.id)) - Number(isDot(one.id)))) {
    if (id !== "__end__") visit(id);
  }
  const rank = (id: string) => (id === "__start__" ? nodes.length : id === "__end__" ? -1 : behind.indexOf(id));
  return [...nodes].sort((one, other) => rank(other.id) - rank(one.id));
}

interface Edge {
  readonly source: string;
  readonly target: string;
  readonly label: string;
  /** The places of its nodes in the row. */
  readonly from: number;
  readonly to: number;
}
interface Row {
  readonly middles: readonly number[];
  readonly widths: readonly number[];
  readonly width: number;
  /** True if there is room for labels between neighbours. */
  readonly hasLabels: boolean;
}

/** A row with labels between neighbours; undefined if it is too wide. */
function wideRow(order: NamedGraph["nodes"], besides: readonly Edge[]): Row | undefined {
  const gaps = order.slice(1).map((_, n) => {
    const labels = besides.filter(({ from }) => from === n).map(({ label }) => labelWidth(label));
    return Math.max(18, ...labels.map((width) => width + 16));
  });
  const row = rowOf(order, WIDE, gaps);
  const spare = Math.min(40, (WIDTH - 1 - row.width) / Math.max(1, gaps.length));
  if (spare < 0) return undefined;
  return {
    ...rowOf(
      order,
      WIDE,
      gaps.map((gap) => gap + spare),
    ),
    hasLabels: true,
  };
}

/** A row in which labels between neighbours are on brackets, which are as wide as the labels. */
function narrowRow(order: NamedGraph["nodes"], besides: readonly Edge[]): Row {
  const widths = order.map((node) => boxWidth(node, NARROW));
  const gaps = order.slice(1).map((_, n) => {
    const boxes = ((widths[n] ?? 0) + (widths[n + 1] ?? 0)) / 2;
    const labels = besides
      .filter(({ from, label }) => from === n && label !== "")
      .map(({ label }) => labelWidth(label));
    return Math.max(14, ...labels.map((width) => width + 2 * PORT + 10 - boxes));
  });
  return { ...rowOf(order, NARROW, gaps), hasLabels: false };
}

function rowOf(order: NamedGraph["nodes"], padding: number, gaps: readonly number[]) {
  const widths = order.map((node) => boxWidth(node, padding));
  let x = MARGIN;
  const middles = widths.map((width, n) => {
    const middle = x + width / 2;
    x += width + (gaps[n] ?? 0);
    return middle;
  });
  return { middles, widths, width: Math.ceil(x + MARGIN) };
}

interface Bracket extends Edge {
  readonly side: "above" | "below";
  readonly level: number;
  readonly begin: number;
  readonly end: number;
}

/** Gives brackets their levels, the short ones next to the boxes, so that none lies on another one or on its label. */
function stacked(edges: readonly Edge[], middles: readonly number[]): Bracket[] {
  const span = ({ from, to }: Edge) => Math.abs(to - from);
  const brackets: Bracket[] = [];
  const taken: { readonly side: string; readonly level: number; readonly low: number; readonly high: number }[] = [];
  for (const edge of [...edges].sort((one, other) => span(one) - span(other))) {
    const side = edge.to > edge.from ? "above" : "below";
    const port = side === "above" ? PORT : -PORT;
    const [begin, end] = [(middles[edge.from] ?? 0) + port, (middles[edge.to] ?? 0) - port];
    const half = Math.max(Math.abs(end - begin), labelWidth(edge.label) + 4) / 2;
    const [low, high] = [(begin + end) / 2 - half - 3, (begin + end) / 2 + half + 3];
    const inWay = (level: number) =>
      taken.some((one) => one.side === side && one.level === level && one.low < high && one.high > low);
    let level = 0;
    while (inWay(level)) level += 1;
    taken.push({ side, level, low, high });
    brackets.push({ ...edge, side, level, begin, end });
  }
  return brackets;
}

function heightOf(brackets: readonly Bracket[], side: Bracket["side"]): number {
  const levels = brackets.filter((bracket) => bracket.side === side).map(({ level }) => level + 1);
  return levels.length === 0 ? 4 : RISE + (Math.max(...levels) - 1) * LEVEL + 8;
}

type Placed = Pick<Box, "x" | "y" | "width" | "height">;

function straightWay({ source, target, label }: Edge, from: Placed, to: Placed): Way {
  const [begin, end] = [from.x + from.width / 2 + 1, to.x - to.width / 2 - 2];
  const text = label && { label: { text: label, x: (begin + end) / 2, y: from.y - 7 } };
  return { source, target, path: `M${begin} ${from.y}H${end}`, ...text };
}

function bracketWay({ source, target, label, side, level, begin, end }: Bracket, from: Placed, to: Placed): Way {
  const up = side === "above" ? -1 : 1;
  const height = from.y + up * (BOX / 2 + RISE + level * LEVEL);
  const right = Math.sign(end - begin) || 1;
  const path = [
    `M${begin} ${from.y + (up * from.height) / 2}V${height - up * CORNER}`,
    `Q${begin} ${height} ${begin + right * CORNER} ${height}H${end - right * CORNER}`,
    `Q${end} ${height} ${end} ${height - up * CORNER}V${to.y + up * (to.height / 2 + 2)}`,
  ].join("");
  const text = label && { label: { text: label, x: (begin + end) / 2, y: height } };
  return { source, target, path, ...text };
}
