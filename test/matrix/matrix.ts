// A matrix is the same tests on each database, in each saver or in each protocol. Where each of them stands, it names the cases
// that `npm test` runs. `npm run test:long` runs some of the others, and `npm run bench:matrices` all of them.

/** True in `npm run bench:matrices`, which runs the matrices of the long tests in full. */
export const isFull = process.env.MODE === "full";

/** True in the long tests. Set in vitest.long.config.ts. */
const isLong = process.env.TEST_MATRIX === "rest";

/**
 * Returns the cases that a test runs on.
 *
 * @param all The whole matrix.
 * @param short Its cases in `npm test`: a usual one, and where the code branches also its opposite.
 */
export function matrix<Case>(all: readonly Case[], ...short: readonly Case[]): readonly Case[] {
  if (!isLong) return short;
  // The last case is always tried: of databases and savers it is Postgres.
  return everyNth(2, all.filter((one) => !short.includes(one)).toReversed());
}

/** Returns a sample of a matrix of the long tests, the first case among it. */
export function sample<Case>(cases: readonly Case[]): readonly Case[] {
  return everyNth(12, cases);
}

function everyNth<Case>(n: number, cases: readonly Case[]): readonly Case[] {
  return isFull ? cases : cases.filter((_, index) => index % n === 0);
}
