/** True in `npm run bench:matrices`, which runs the matrices of the long tests in full. */
export const isFull = process.env.MODE === "full";

/** Returns the first case of a matrix and every sixth one after it, or all of them in `npm run bench:matrices`. */
export function sample<Case>(cases: readonly Case[]): readonly Case[] {
  return isFull ? cases : cases.filter((_, index) => index % 6 === 0);
}
