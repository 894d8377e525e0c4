import { onTestFinished, vi } from "vitest";

let ahead = 0;

/** Puts the clock of this process on, until the test ends. */
export function putClockOn(milliseconds: number): void {
  if (ahead === 0) {
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
    onTestFinished(() => {
      clock.mockRestore();
      ahead = 0;
    });
  }
  ahead += milliseconds;
}
