import { inOneLine, shorten } from "../../base/shorten.js";
import type { PersonAsked } from "../../core/run/events.js";
import type { ThreadSummary } from "../../threads/checkpoints/thread-row.js";
import type { Colours } from "./colours.js";
import { counted, minuteOf, screenName, screenText } from "./screen-text.js";

/** A thread, with what it asks a person. */
export type ListedThread = Omit<ThreadSummary, "id" | "interrupts"> & {
  readonly thread: string;
  readonly waiting?: readonly PersonAsked[] | undefined;
};

/** Writes threads in columns: id, time, turns, title. */
export function threadLines(threads: readonly ListedThread[], colours: Colours): string {
  const columns = threads.map(({ thread, updatedAt, turns }) => [
    screenName(thread),
    ago(updatedAt),
    counted(turns, "turn"),
  ]);
  const [ids = 0, times = 0, counts = 0] = [0, 1, 2].map((n) => Math.max(...columns.map((row) => row[n]?.length ?? 0)));
  return threads
    .map((thread, row) => {
      const [id = "", time = "", turns = ""] = columns[row] ?? [];
      const note = thread.status === "idle" ? "" : `${colours.yellow(`[${statusText(thread)}]`)} `;
      const title = shorten(inOneLine(screenText(thread.title ?? "")), 80);
      return `${colours.bold(id.padEnd(ids))}  ${colours.dim(time.padEnd(times))}  ${turns.padStart(counts)}  ${note}${title}\n`;
    })
    .join("");
}

/** Writes a status, with the tools whose calls wait for a person. */
function statusText({ status, waiting = [] }: ListedThread): string {
  const requests = waiting.flatMap((asked) => (asked.type === "approval" ? asked.requests : []));
  const tools = [...new Set(requests.map(({ tool }) => screenText(tool)))];
  return tools.length === 0 ? status : `${status}: ${tools.join(", ")}`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Writes how long ago a time was, such as "2 hours ago" or "yesterday". A time of more than a week ago is written as a date. */
export function ago(time: string, now = Date.now()): string {
  const milliseconds = now - Date.parse(time);
  if (milliseconds >= 7 * units[0][1]) return minuteOf(time);
  const [unit, length] = units.find(([, length]) => milliseconds >= length) ?? [];
  if (unit === undefined) return "just now";
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.floor(milliseconds / length), unit);
}
