// The plan of a run. The children, their model and the parent that checks them know it.

/** The calls of each step of a turn. `append` has effects. `look` has none, and is simply made again. */
export const steps = [
  [{ name: "append", line: "a" }],
  [
    { name: "append", line: "b" },
    { name: "append", line: "c" },
    { name: "look", line: "d" },
  ],
  [{ name: "look", line: "e" }],
];

export const turns = 2;

/** The line that a person refuses, if people decide. */
export const refused = "c";

export const question = (run, turn) => `Run ${run} turn ${turn}: append the lines.`;
/** The picture of a question, in base64. Each turn has its own. */
export const picture = (run, turn) => Buffer.from(`Picture ${run} of ${turn}. `.repeat(1000)).toString("base64");
export const answer = (run, turn) => `Run ${run} turn ${turn} is done.`;

/**
 * Makes a function that returns numbers from 0 to 1. They look random, and are the same for the same seed (mulberry32).
 */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
