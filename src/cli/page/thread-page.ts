import { hash } from "node:crypto";
import type { ModelPrompt } from "../../agent/prompts/written-again.js";
import { shorten } from "../../base/shorten.js";
import { readable, withSeenSigns } from "../../base/unseen-signs.js";
import { writeContent } from "../../content/content.js";
import { promptData } from "../../core/model/prompt-events.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import { counted, minuteOf } from "../screen/screen-text.js";
import type { ShownStep, ShownTurn } from "./read-thread.js";

const longestText = 20_000;

/**
 * Writes a thread as a page of its own. The page asks nobody for anything: its policy lets in only its own style. All text of
 * the thread is escaped.
 */
export function threadPage(thread: ThreadSummary, turns: readonly ShownTurn[]): string {
  const title = thread.title ?? thread.id;
  const policy = `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<h1 dir="auto">${title}</h1>
<p class="quiet">Thread ${thread.id}, ${counted(thread.turns, "turn")}, ${minuteOf(thread.createdAt)} to ${minuteOf(thread.updatedAt)}</p>
${turns.map(turnSection)}
</body>
</html>
`;
  return page.text;
}

function turnSection({ number, asked = "", answer, stopReason, works, prompts, usage }: ShownTurn): Html {
  const loops = works.filter(({ step }) => step.source === "loop");
  const way = [...loops.flatMap(({ nodes }) => nodes), ...(stopReason === undefined ? [] : ["end"])];
  const timed = loops.map(({ nodes, from, step }) => {
    return { name: nodes.join(", "), from: Date.parse(from), to: Date.parse(step.at) };
  });
  return html`<section>
<h2 dir="auto">${number}. ${asked}</h2>
<p class="said" dir="auto">${answer ?? "There is no answer."}</p>
<p><small>${[stopReason ?? "not finished", ...spentOf(usage)].join(" · ")}</small></p>
${loops.length > 0 ? [drawWay(way), drawTimeline(timed)] : []}
${works.map(workDetails)}
${prompts.map(promptDetails)}
</section>
`;
}

function spentOf(usage: ShownTurn["usage"]): string[] {
  if (usage === undefined) return [];
  return [counted(usage.modelCalls, "model call"), counted(usage.inputTokens + usage.outputTokens, "token")];
}

function workDetails({ nodes, step, changes }: ShownStep): Html {
  const shown = changes.map(
    ({ channel, change }) =>
      html`<h4>${channel}</h4><pre dir="auto">${withSeenSigns(shorten(change, longestText))}</pre>`,
  );
  return html`<details><summary>${nodes.join(", ")} <small>${step.at}, changed ${changes.map(({ channel }) => channel).join(", ") || "nothing"}</small></summary>${shown}</details>
`;
}

function promptDetails(prompt: ModelPrompt): Html {
  const { messages } = promptData(prompt);
  const texts = messages.map(({ type, content }) => {
    return html`<h4>${type}</h4><pre dir="auto">${shorten(writeContent(content), longestText)}</pre>`;
  });
  const calls = prompt.toolCalls.map(({ name, args }) => withSeenSigns(`${name}(${JSON.stringify(args)})`));
  const note = prompt.exact ? "" : `Not surely as it was sent: ${prompt.differs ?? ""}`;
  return html`<details><summary>Prompt to ${prompt.model} <small>${prompt.purpose}</small></summary><p class="quiet">${note}</p>${texts}<h4>Reply</h4><pre dir="auto">${[prompt.text, ...calls].join("\n")}</pre></details>
`;
}

/** The style of a page. It is the only one that the page's Content-Security-Policy lets in. */
const style = `
:root { color-scheme: light dark; --line: #8886; --mark: #3b82f6; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; border-top: 1px solid var(--line); padding-top: 1.5rem; margin-top: 2rem; }
small, .quiet { opacity: .7; }
pre, .said { white-space: pre-wrap; margin: .5rem 0; }
pre { font-size: .85rem; background: var(--soft); padding: .6rem; border-radius: .4rem; max-height: 30rem; overflow: auto; }
details { border-left: 3px solid var(--line); padding-left: .8rem; margin: .4rem 0; }
summary { cursor: pointer; }
svg { display: block; width: 100%; height: auto; margin: .6rem 0; font: 11px system-ui, sans-serif; }
svg text { fill: currentColor; } svg .box { fill: Canvas; stroke: var(--line); }
svg .bar { fill: var(--mark); } svg .edge { fill: none; stroke: var(--mark); }
`;

const step = 150;
const middle = 60;

/** Draws the nodes that a turn went through, in the order of their first visit, and how often it took each edge. */
function drawWay(way: readonly string[]): Html {
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
function drawTimeline(works: readonly TimedWork[]): Html {
  const begin = Math.min(...works.map(({ from }) => from));
  const whole = Math.max(1, Math.max(...works.map(({ to }) => to)) - begin);
  const x = (time: number) => labels + ((time - begin) / whole) * (width - labels - 60);
  const bars = works.map(({ name, from, to }, index) => {
    const y = index * row;
    return html`<text x="0" y="${y + 12}">${name}</text><rect class="bar" x="${x(from).toFixed(1)}" y="${y + 3}" width="${Math.max(1, x(to) - x(from)).toFixed(1)}" height="11"/><text x="${(x(to) + 4).toFixed(1)}" y="${y + 12}">${((to - from) / 1_000).toFixed(2)} s</text>`;
  });
  return html`<svg viewBox="0 0 ${width} ${works.length * row}" role="img" aria-label="Timeline of the turn">${bars}</svg>`;
}

/** A piece of a page, in which all text is escaped, and signs that nobody sees are shown. */
class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | readonly Html[];

/** Writes a piece of a page: html`<p>${text}</p>`. What stands in it is text, unless it is a piece itself. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((page, string, index) => `${page}${written(parts[index - 1] ?? "")}${string}`));
}

function written(part: Part): string {
  if (part instanceof Html) return part.text;
  return Array.isArray(part) ? part.map(({ text }) => text).join("") : escaped(String(part));
}

const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return readable(text).replace(/[&<>"']/g, (character) => names[character] ?? "");
}
