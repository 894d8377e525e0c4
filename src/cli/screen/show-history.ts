import { inOneLine, shorten } from "../../base/shorten.js";
import type { HistoryBranch, HistoryStep, HistoryTurn, ThreadHistory } from "../../threads/lookup/history.js";
import type { Io } from "../io.js";
import { type Colours, coloursFor } from "./colours.js";
import { minuteOf, screenName, screenText } from "./screen-text.js";

/** Prints the turns and steps of a thread with the ids of their checkpoints, and the branches that it left. */
export function showHistory(
  thread: string,
  { turns, branches }: ThreadHistory,
  { json = false }: { readonly json?: boolean | undefined },
  { stdout, env }: Pick<Io, "stdout" | "env">,
): void {
  if (json) {
    for (const { number, steps } of turns) {
      for (const step of steps)
        stdout.write(`${JSON.stringify({ type: "checkpoint", thread, turn: number, ...step })}\n`);
    }
    for (const branch of branches) stdout.write(`${JSON.stringify({ type: "branch", thread, ...branch })}\n`);
    return;
  }
  const colours = coloursFor(stdout, env);
  stdout.write(`${colours.bold("Checkpoints")}\n`);
  for (const turn of turns) stdout.write(turnLines(turn, colours));
  for (const branch of branches) stdout.write(branchLine(branch));
}

function turnLines({ number, asked = "", steps, stopReason }: HistoryTurn, colours: Colours): string {
  const [first] = steps;
  const title = [`Turn ${number}`, ...(first ? [minuteOf(first.at)] : []), stopReason ?? "not finished"].join(", ");
  return `${title}${asked ? `: ${screenText(asked)}` : ""}\n${steps.map((step) => stepLine(step, colours)).join("")}`;
}

function stepLine({ checkpoint, source, next, tools, repaired }: HistoryStep, { dim }: Colours): string {
  const then = next.length === 0 ? "end of the turn" : `next ${[...next, ...tools].map(screenText).join(" ")}`;
  const notes = [
    ...(source === "update" || source === "fork" ? [source] : []),
    ...(repaired ? ["repaired: later checkpoints could not be read"] : []),
  ];
  return `  ${screenName(checkpoint)}  ${dim(then)}${notes.length > 0 ? `  [${notes.join(", ")}]` : ""}\n`;
}

function branchLine({ checkpoint, turn, answer = "" }: HistoryBranch): string {
  return `Branch that was left in turn ${turn}\n  ${screenName(checkpoint)}${answer ? `  ${screenText(shorten(inOneLine(answer), 59))}` : ""}\n`;
}
