import { minuteOf } from "./screen-text.js";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Writes how long ago a time was, such as "2 hours ago" or "yesterday". A time of more than a week ago is written as a date. */
export function ago(time: string, now = Date.now()): string {
  const milliseconds = now - Date.parse(time);
  if (milliseconds >= 7 * units[0][1]) return minuteOf(time);
  const [unit, length] = units.find(([, length]) => milliseconds >= length) ?? [];
  return unit ? words.format(-Math.floor(milliseconds / length), unit) : "just now";
}
