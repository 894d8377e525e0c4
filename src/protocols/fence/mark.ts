import { randomInt } from "node:crypto";

/** Letters and digits that make no words and are not mistaken for one another. */
const signs = "bcdfghjkmnpqrstvwxz23456789";

/**
 * Draws a mark, such as `~k7q2x~`. Text from outside cannot know it: there are 14 million. So it can neither write marks of its
 * own nor close what a mark opens.
 */
export function drawMark(): string {
  return `~${Array.from({ length: 5 }, () => signs.charAt(randomInt(signs.length))).join("")}~`;
}
