import { type Html, html } from "./html.js";

const step = 150;
const middle = 60;

/** Draws the nodes that a turn went through, in the order of their first visit, and how often it took each edge. */
export function drawWay(way: readonly string[]): Html {
  const nodes = [...new Set(way)];
  const counts = new Map<string, number>();
  for (const [index, to] of way.slice(1).entries()) {
    const edge = `${nodes.indexOf(way[index] ?? "")} ${nodes.indexOf(to)}`;
    counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  const boxes = nodes.map(
    (name, index) =>
      html`<rect class="box" x="${index * step + 5}" y="${middle - 14}" width="110" height="28" rx="6"/><text x="${index * step + 60}" y="${middle + 4}" text-anchor="middle">${name}</text>`,
  );
  const edges = [...counts].map(([edge, count]) => drawEdge(edge.split(" ").map(Number), count));
  return html`<svg viewBox="0 0 ${nodes.length * step} ${2 * middle}" role="img" aria-label="The way through the graph: ${way.join(", ")}">${edges}${boxes}</svg>`;
}

/** Draws an edge: straight to the next node, else above the nodes, and below them on the way back. */
function drawEdge([from = 0, to = 0]: readonly number[], count: number): Html {
  const [start, end] = [from * step + 60, to * step + 60];
  const height = to === from + 1 ? 0 : to > from ? -50 : 50;
  const label = count > 1 ? `${count} ×` : "";
  return html`<path class="edge" d="M ${start} ${middle} Q ${(start + end) / 2} ${middle + 2 * height} ${end} ${middle}"/><text x="${(start + end) / 2}" y="${middle + height - 3}" text-anchor="middle">${label}</text>`;
}

/** A piece of work in a turn. Times are milliseconds since 1970. */
interface TimedWork {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

const width = 720;
const labels = 150;
const row = 18;

/** Draws when the work of a turn was done: a bar for each piece. */
export function drawTimeline(works: readonly TimedWork[]): Html {
  const begin = Math.min(...works.map(({ from }) => from));
  const whole = Math.max(1, Math.max(...works.map(({ to }) => to)) - begin);
  const x = (time: number) => labels + ((time - begin) / whole) * (width - labels - 60);
  const bars = works.map(({ name, from, to }, index) => {
    const y = index * row;
    return html`<text x="0" y="${y + 12}">${name}</text><rect class="bar" x="${x(from).toFixed(1)}" y="${y + 3}" width="${Math.max(1, x(to) - x(from)).toFixed(1)}" height="11"/><text x="${(x(to) + 4).toFixed(1)}" y="${y + 12}">${((to - from) / 1_000).toFixed(2)} s</text>`;
  });
  return html`<svg viewBox="0 0 ${width} ${works.length * row}" role="img" aria-label="Timeline of the turn">${bars}</svg>`;
}
