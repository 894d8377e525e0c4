/** The usual constant of reciprocal rank fusion. It keeps the first places from deciding alone. */
const smoothing = 60;

/**
 * Joins ranked lists into one by reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). Each item gets 1/(60 + its
 * place) from each list that has it. Only places count, so the lists may have scores that cannot be compared.
 *
 * @param lists Lists with the best item first. An item that is twice in a list counts once, where it stands first.
 * @param keyOf Returns the key by which two items are the same.
 * @returns The items, the best first, each once. Of equal items the first that was given is taken; equal sums keep the
 *   order in which the items were given.
 * @example
 * fuseRanks([["a", "b"], ["b", "c"]], (word) => word); // ["b", "a", "c"]
 */
export function fuseRanks<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => unknown): T[] {
  const sums = new Map<unknown, { readonly item: T; sum: number }>();
  for (const list of lists) {
    const seen = new Set<unknown>();
    for (const item of list) {
      const key = keyOf(item);
      if (seen.has(key)) continue;
      const found = sums.get(key) ?? { item, sum: 0 };
      sums.set(key, found);
      seen.add(key);
      found.sum += 1 / (smoothing + seen.size);
    }
  }
  return [...sums.values()].sort((one, other) => other.sum - one.sum).map(({ item }) => item);
}
