import { expect, it } from "vitest";
import { randomFrom } from "../helpers/random.js";
import { isFull } from "../matrix/matrix.js";
import { breachesOf } from "./fence-breaches.js";
import { hostileText } from "./hostile-texts.js";

/** The texts for each protocol. `npm run bench:matrices` makes the larger number. */
const count = isFull ? 200_000 : 150;

it(`no fenced text of ${count} is a step or hides one, and each can be undone`, { timeout: 3_600_000 }, () => {
  const random = randomFrom(2026);
  for (let texts = 0; texts < count; texts += 1) expect(breachesOf(hostileText(random))).toEqual([]);
});
