// Exact arithmetic to check the calculator with, sharing no code with it: a number is [numerator, denominator].

export const whole = (value) => [BigInt(value), 1n];

export function reduced([above, below]) {
  let [a, b] = [above < 0n ? -above : above, below < 0n ? -below : below];
  while (b > 0n) [a, b] = [b, a % b];
  const divisor = below < 0n ? -a : a;
  return divisor === 0n ? [0n, 1n] : [above / divisor, below / divisor];
}

export const plus = ([a, b], [c, d]) => reduced([a * d + c * b, b * d]);
export const minus = (left, [c, d]) => plus(left, [-c, d]);
export const times = ([a, b], [c, d]) => reduced([a * c, b * d]);
export const over = ([a, b], [c, d]) => (c === 0n ? undefined : reduced([a * d, b * c]));
export const less = ([a, b], [c, d]) => a * d < c * b;
export const size = ([a, b]) => [a < 0n ? -a : a, b];

/** Rounds down. */
export function below([a, b]) {
  const rest = ((a % b) + b) % b;
  return [(a - rest) / b, 1n];
}

export function raised(base, exponent) {
  let result = whole(1);
  for (let n = 0; n < exponent; n += 1) result = times(result, base);
  return result;
}

/** Reads a number in digits, such as -12.5e-7. */
export function read(text) {
  const [, sign, digits, decimals = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  const value = [BigInt(`${sign}${digits}${decimals}`), 10n ** BigInt(decimals.length)];
  const shift = 10n ** BigInt(Math.abs(Number(exponent)));
  return reduced(exponent.startsWith("-") ? [value[0], value[1] * shift] : [value[0] * shift, value[1]]);
}
