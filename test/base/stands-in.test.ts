import { describe, expect, it } from "vitest";
import { standsIn } from "../../src/base/stands-in.js";
import { growth } from "../helpers/processor-time.js";
import { randomFrom } from "../helpers/random.js";

describe("the search for a text in another one", () => {
  it("finds what includes finds", () => {
    const random = randomFrom(1);
    const textOf = (length: number) => Array.from({ length }, () => (random() < 0.9 ? "a" : "b")).join("");
    for (let round = 0; round < 50; round += 1) {
      const text = textOf(2000);
      const from = Math.floor(random() * 1500);
      const part = text.slice(from, from + Math.floor(random() * 400));
      const place = Math.floor(random() * part.length);
      const other = `${part.slice(0, place)}b${part.slice(place + 1)}`;
      expect([standsIn(part, text), standsIn(other, text)]).toEqual([true, text.includes(other)]);
    }
  });

  it("does not find a part that begins in itself", () => {
    const part = "ab".repeat(100);
    expect(standsIn(part, part.slice(2))).toBe(false);
  });

  it("takes linear time", async () => {
    const search = (length: number) => {
      const side = "a".repeat(length);
      return standsIn(`${side}b${side}`, side.repeat(10));
    };
    expect(await growth(search, 2_000)).toBeLessThan(1.5);
  });
});
