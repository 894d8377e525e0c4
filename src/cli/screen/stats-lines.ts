import type { Cost } from "../../model/prices.js";
import type { ThreadStats } from "../../threads/lookup/thread-stats.js";
import { counted, minuteOf, screenName } from "./screen-text.js";
import { dollarsText } from "./turn-notes.js";

/** What only one thread tells. */
export interface ThreadDetails {
  /** The number of calls of each tool. */
  readonly toolCalls: Readonly<Record<string, number>>;
  /** The number of turns with each stop reason. */
  readonly stopReasons: Readonly<Record<string, number>>;
  readonly workedMs: number;
}

/** What threads took, with its list price. */
export type ShownStats = ThreadStats & { readonly cost: Cost; readonly details?: ThreadDetails | undefined };

/** Writes what threads took, a line for each number. */
export function statsLines({ usage, cost, details, ...stats }: ShownStats): string {
  const { createdAt, updatedAt } = stats;
  const models = Object.entries(usage.models).map(
    ([name, { modelCalls, inputTokens, outputTokens }]) =>
      `${name} ${counted(modelCalls, "call")}, ${counted(inputTokens + outputTokens, "token")}`,
  );
  const lines: [string, string | undefined][] = [
    ["Threads", details ? undefined : number(stats.threads)],
    ["Turns", withParts(stats.turns, details && listed(details.stopReasons))],
    ["Checkpoints", number(stats.checkpoints)],
    ["Tool calls", withParts(usage.toolCalls, details && listed(details.toolCalls))],
    ["Model calls", withParts(usage.modelCalls, models)],
    ["Tokens", `${number(usage.inputTokens)} in, ${number(usage.outputTokens)} out`],
    ["Cost", costText(cost)],
    ["Time", details && `${(details.workedMs / 1_000).toFixed(1)} s`],
    ["Size", sizeText(stats.bytes)],
    ["Begun", createdAt && minuteOf(createdAt)],
    ["Last used", updatedAt && minuteOf(updatedAt)],
  ];
  return lines.map(([name, text]) => (text === undefined ? "" : `${name.padEnd(13)}${screenName(text)}\n`)).join("");
}

function number(value: number): string {
  return value.toLocaleString("en");
}

function listed(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([name, count]) => `${name} ${number(count)}`);
}

function withParts(total: number, parts: readonly string[] = []): string {
  return parts.length === 0 ? number(total) : `${number(total)} (${parts.join("; ")})`;
}

function costText(cost: Cost): string {
  const without = cost.unpriced.length === 0 ? "" : `, without ${cost.unpriced.join(", ")} (no list price)`;
  return `${dollarsText(cost)}${without}`;
}

const units = ["bytes", "kB", "MB", "GB"];

/** Writes a number of bytes with a unit, such as "1.2 MB". */
function sizeText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
