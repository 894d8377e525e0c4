import { type Html, html } from "./html.js";

/** A piece of work in a turn. Times are milliseconds since 1970. */
export interface TimedWork {
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
