import { describe, expect, it } from "vitest";
import { scaleOf } from "../../src/loop/scale.js";

const day = 86_400_000;
const wait = (begin: number, end: number) => ({ begin, end });
const shares = (scale: ReturnType<typeof scaleOf>, ...times: number[]) =>
  times.map((time) => Math.round(scale.place(time) * 1000) / 1000);

describe("a scale", () => {
  it("without waits is even, and ends at its ends", () => {
    expect(shares(scaleOf(wait(1000, 2000), []), 0, 1000, 1250, 2000, 9000)).toEqual([0, 0, 0.25, 1, 1]);
  });

  it("gives three days of waiting a tenth of the width", () => {
    const scale = scaleOf(wait(0, 3 * day + 9000), [wait(4500, 3 * day + 4500)]);
    expect(scale.cuts).toHaveLength(1);
    expect(shares(scale, 4500, 3 * day + 4500, 3 * day + 9000)).toEqual([0.45, 0.55, 1]);
  });

  it("leaves a short wait as it is", () => {
    const scale = scaleOf(wait(0, 1000), [wait(100, 200)]);
    expect(scale.cuts).toEqual([]);
    expect(shares(scale, 100, 200)).toEqual([0.1, 0.2]);
  });

  it("cuts a wait that is long only after a longer one was cut", () => {
    const scale = scaleOf(wait(0, day + 2000), [wait(500, 1000), wait(1500, day + 1500)]);
    expect(scale.cuts).toHaveLength(2);
    expect(shares(scale, 500, 1000, 1500, day + 1500, day + 2000)).toEqual([0.267, 0.367, 0.633, 0.733, 1]);
  });

  it("gives twenty waits half of the width together", () => {
    const waits = Array.from({ length: 20 }, (_, n) => wait(n * day + 1000, (n + 1) * day));
    const scale = scaleOf(wait(0, 20 * day), waits);
    expect(scale.cuts).toHaveLength(20);
    expect(shares(scale, 1000, day, 20 * day)).toEqual([0.025, 0.05, 1]);
  });

  it("of a wait alone keeps a place for each time", () => {
    const scale = scaleOf(wait(0, day), [wait(0, day)]);
    expect(shares(scale, 0, day)[0]).toBe(0);
    expect(scale.place(day)).toBeLessThanOrEqual(1);
    expect(scale.place(day / 2)).toBeLessThan(scale.place(day));
  });

  it("never goes back", () => {
    const scale = scaleOf(wait(0, day), [wait(1000, day / 2), wait(day / 2 + 500, day - 1000)]);
    const places = Array.from({ length: 500 }, (_, n) => scale.place((n * day) / 499));
    expect(places).toEqual([...places].sort((one, other) => one - other));
  });
});

describe("the marks of a scale", () => {
  it.each([
    [0, [0]],
    [250, [0, 50, 100, 150, 200]],
    [6800, [0, 2000, 4000, 6000]],
    [90_000, [0, 20_000, 40_000, 60_000, 80_000]],
    [40 * day, [0, 10 * day, 20 * day, 30 * day]],
  ])("of %s ms stand at round times", (total, marks) => {
    expect(scaleOf(wait(0, total), []).marks.map(({ ms }) => ms)).toEqual(marks);
  });

  it("stand in no cut and not close together", () => {
    const { marks } = scaleOf(wait(0, day + 6000), [wait(3000, day + 3000)]);
    expect(marks.length).toBeLessThan(7);
    for (const { ms } of marks) expect(ms <= 3000 || ms >= day + 3000).toBe(true);
    marks.slice(1).forEach(({ place }, n) => {
      expect(place - (marks[n]?.place ?? 0)).toBeGreaterThan(0.15);
    });
  });
});
