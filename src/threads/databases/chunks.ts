/** Databases keep the statements that they saw: there are as many of a kind as a chunk has lengths. */
const LONGEST = 50;

/** Cuts a list into parts that a statement can have parameters for. */
export function chunksOf<T>(values: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(values.length / LONGEST) }, (_, index) =>
    values.slice(index * LONGEST, (index + 1) * LONGEST),
  );
}
