// Chance with a seed: the same seed makes the same hostile texts.

/**
 * Makes a generator.
 *
 * @param seed A whole number.
 * @returns `number()` from 0 to 1 (mulberry32), `whole(limit)` from 0 to below the limit, and `pick(list)` of a list.
 */
export function generator(seed) {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (limit) => Math.floor(number() * limit);
  return { number, whole, pick: (list) => list[whole(list.length)] };
}
