import type { EventOf } from "../../core/run/events.js";
import type { Citation, CitedSource } from "../../core/state/source.js";
import type { UsageCounts } from "../../core/state/usage.js";
import { type Cost, costOf } from "../../model/prices.js";
import type { Colours } from "./colours.js";
import { counted, screenName } from "./screen-text.js";

/** Writes the sources that an answer cites, with their numbers in it. */
export function sourceLines(sources: readonly CitedSource[], { dim }: Colours): string {
  return sources.map((source) => `${dim(`[${source.number}]`)} ${screenName(placeOf(source))}\n`).join("");
}

/** Writes which numbers in an answer name no source, and how many quotes do not stand in the sources beside them. */
export function citationLine(citations: readonly Citation[], { dim }: Colours): string {
  const unknown = new Set(citations.flatMap(({ number, source }) => (source === null ? `[${number}]` : [])));
  const missed = citations.flatMap(({ quotes }) => quotes.flatMap(({ start, isFound }) => (isFound ? [] : start)));
  const quotes = new Set(missed).size;
  const sentences = [
    ...(unknown.size === 0 ? [] : [`No source has the number ${[...unknown].join(" ")}.`]),
    ...(quotes === 0 ? [] : [`No source cited beside it has the words of ${counted(quotes, "quote")}.`]),
  ];
  return sentences.length === 0 ? "" : `${dim(sentences.join(" "))}\n`;
}

function placeOf({ title, address, heading }: CitedSource): string {
  const name = title === "" || title === address ? address : `${title}, ${address}`;
  return heading && heading !== title ? `${name} > ${heading}` : name;
}

/** Writes what a turn took: steps, time, tokens and money. The list prices of its models are those of `costOf`. */
export function summaryLine({ step, usage, milliseconds }: EventOf<"turn-end">, { dim }: Colours): string {
  const { modelCalls, inputTokens, outputTokens } = usage.turn;
  if (modelCalls === 0) return "";
  const parts = [
    counted(step, "step"),
    `${(milliseconds / 1_000).toFixed(1)} s`,
    counted(inputTokens + outputTokens, "token"),
    ...moneyOf(usage.turn),
  ];
  return `${dim(parts.join(" · "))}\n`;
}

function moneyOf(spent: UsageCounts): string[] {
  const cost = costOf(spent);
  return cost.unpriced.length > 0 || cost.dollars === 0 ? [] : [dollarsText(cost)];
}

/** Writes the dollars of a cost. */
function dollarsText({ dollars, isEstimate }: Cost): string {
  return `${isEstimate && dollars > 0 ? "about " : ""}$${dollars.toFixed(dollars > 0 && dollars < 0.01 ? 5 : 2)}`;
}
