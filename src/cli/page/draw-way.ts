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
