import { describe, expect, it } from "vitest";
import { bitsOf, exact, rootExact, toDouble } from "../../../src/tools/calculator/exact.js";

describe("exact numbers", () => {
  it("become the nearest double, also just over the middle of two", () => {
    const middle = 2n ** 53n + 1n;
    const distance = 3n ** 100n;
    expect(toDouble(exact(middle))).toBe(2 ** 53);
    expect(toDouble(exact(middle * distance + 1n, distance))).toBe(2 ** 53 + 2);
    expect(toDouble(exact(middle * distance - 1n, -distance))).toBe(-(2 ** 53));
    expect([1, 3, 10].map((below) => toDouble(exact(1, below)))).toEqual([1, 1 / 3, 0.1]);
    expect(toDouble(exact(1n, 10n ** 280n))).toBe(1e-280);
    expect(toDouble(exact(0))).toBe(0);
  });

  it("have a length in binary digits", () => {
    expect([0n, 1n, -2n, 15n, 16n, 2n ** 100n].map(bitsOf)).toEqual([0, 1, 2, 4, 5, 101]);
  });

  it("have an exact root or none", () => {
    expect(rootExact(exact(10n ** 40n, 4n), 2n)).toEqual(exact(10n ** 20n, 2n));
    expect(rootExact(exact(10n ** 40n + 1n), 2n)).toBeUndefined();
    expect(rootExact(exact(4n, 3n), 2n)).toBeUndefined();
    expect(rootExact(exact(3n), 10n ** 9n)).toBeUndefined();
  });
});
