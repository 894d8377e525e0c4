/** A time in this machine's zone, down to the minute, such as 2026-11-21 10:00: as Swedish writes it. */
export function minuteOf(time: string): string {
  return new Date(time).toLocaleString("sv-SE", { dateStyle: "short", timeStyle: "short" });
}
