import { purposeWords } from "../turn/sentences.js";
import type { Call, QuietCall, Search, Step, StepNote, Turn } from "../turn/turn.js";

/** A line in the box of a turn. */
export type Line =
  | { readonly kind: "search"; readonly search: Search }
  | { readonly kind: "quiet"; readonly purposes: string; readonly ms: number | undefined }
  | { readonly kind: "note"; readonly step: Step; readonly note: StepNote }
  | { readonly kind: "thought"; readonly step: Step; readonly text: string }
  | { readonly kind: "call"; readonly step: Step; readonly call: Call }
  | { readonly kind: "inside"; readonly step: Step; readonly turns: readonly Turn[] }
  | { readonly kind: "unread"; readonly step: Step }
  | { readonly kind: "answer"; readonly step: Step };

/** The lines of a turn in their order: its steps, and what was searched and asked beside them. */
export function linesOf(turn: Turn): Line[] {
  return [
    ...linesBeside(turn, 0),
    ...turn.steps.flatMap((step, n) => [...linesOfStep(step), ...linesBeside(turn, n + 1)]),
  ];
}

function linesOfStep(step: Step): Line[] {
  const { thought, kind, calls, notes } = step;
  return [
    ...notes.map((note): Line => ({ kind: "note", step, note })),
    ...(thought && kind !== "unparseable" ? [{ kind: "thought", step, text: thought } as const] : []),
    ...calls.flatMap((call): Line[] => [
      { kind: "call", step, call },
      ...(call.inner.length > 0 ? [{ kind: "inside", step, turns: call.inner } as const] : []),
    ]),
    ...(kind === "unparseable" ? [{ kind: "unread", step } as const] : []),
    ...(kind === "finish" ? [{ kind: "answer", step } as const] : []),
  ];
}

/** The searches and quiet calls after a number of replies, in the order of their times. Quiet calls in a row are one line. */
function linesBeside({ quiet, searches }: Turn, after: number): Line[] {
  const beside = [...searches, ...quiet].filter((one) => one.after === after).sort(byTime);
  const lines: Line[] = [];
  for (const one of beside) {
    const last = lines.at(-1);
    if ("query" in one) lines.push({ kind: "search", search: one });
    else if (last?.kind === "quiet") lines[lines.length - 1] = quietLine(one, last);
    else lines.push(quietLine(one));
  }
  return lines;
}

function byTime(one: Search | QuietCall, other: Search | QuietCall): number {
  return one.at !== undefined && other.at !== undefined ? Date.parse(one.at) - Date.parse(other.at) : 0;
}

function quietLine({ purpose, ms }: QuietCall, before?: Extract<Line, { kind: "quiet" }>): Line {
  const words = purposeWords(purpose);
  if (before === undefined) return { kind: "quiet", purposes: words, ms };
  const sum = before.ms === undefined || ms === undefined ? undefined : before.ms + ms;
  return { kind: "quiet", purposes: `${before.purposes}, ${words}`, ms: sum };
}

/** The step that a line belongs to. */
export function stepOf(line: Line): Step | undefined {
  return "step" in line ? line.step : undefined;
}

/** What a folded box says of its lines: the tools that were called, with how often. */
export function linesInShort(turn: Turn): string {
  const counts = new Map<string, number>();
  const tools = turn.steps.flatMap(({ calls }) => calls.map(({ tool }) => tool));
  for (const name of [...turn.searches.map(() => "search"), ...tools]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", ");
}
