import type { Cost } from "../wire.js";

/** A duration: `20 ms`, `0.4 s`, `1.5 min`, `6 min`, `5 h`, `3 days`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 95) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5 * 60) return `${short(seconds / 60)} min`;
  const hours = seconds / 3600;
  return hours < 47.5 ? `${short(hours)} h` : `${Math.round(hours / 24)} days`;
}

/** With one decimal up to ten, if it is not 0. */
function short(value: number): string {
  return String(value < 9.95 ? Number(value.toFixed(1)) : Math.round(value));
}

/** A number of tokens, or of anything else: `2,361`. */
export function count(number: number): string {
  return number.toLocaleString("en");
}

/** A share of a whole: `71 %`. */
export function share(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`;
}

/** A number of things: `1 call`, `3 calls`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Dollars with two significant digits, and at least cents: `$0.00033`, `$12.40`. */
export function money(dollars: number): string {
  if (dollars === 0) return "$0";
  const rounded = Number(dollars.toPrecision(2));
  return `$${rounded >= 1 ? dollars.toFixed(2) : rounded.toFixed(Math.min(12, 1 - Math.floor(Math.log10(rounded))))}`;
}

/** What something cost; `≈` where a price is unknown for a part, or tokens are estimated. Undefined if no price is known. */
export function costText({ dollars, unpriced, isEstimate }: Cost): string | undefined {
  if (dollars === 0 && unpriced.length > 0) return undefined;
  return `${unpriced.length > 0 || isEstimate ? "≈" : ""}${money(dollars)}`;
}

/** A time of this day: `14:10`. One of another day has its day: `3 Dec, 14:10`, `3 Dec 2025, 14:10`. */
export function timeOfDay(at: string, now = new Date()): string {
  const [time, date] = [new Date(at), (options: Intl.DateTimeFormatOptions) => time.toLocaleString("en-GB", options)];
  const clock = date({ hour: "2-digit", minute: "2-digit" });
  if (time.toDateString() === now.toDateString()) return clock;
  const isThisYear = time.getFullYear() === now.getFullYear();
  return `${date({ day: "numeric", month: "short", ...(!isThisYear && { year: "numeric" }) })}, ${clock}`;
}
