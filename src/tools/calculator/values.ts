import {
  addExact,
  divideExact,
  type Exact,
  exact,
  floorExact,
  isWhole,
  multiplyExact,
  powerExact,
  rootExact,
  toDouble,
} from "./exact.js";

/** A number in double precision, with the most that it can differ from the number that is meant. */
export interface Approximate {
  readonly value: number;
  readonly error: number;
}

/** A number of a calculation. It stays exact as long as it can. */
export type Value = Exact | Approximate;

export function isExact(value: Value): value is Exact {
  return "numerator" in value;
}

/** A double is nearest to what is meant, or beside the nearest. */
export function approximate(value: number): Approximate {
  return { value, error: Math.abs(value) * Number.EPSILON };
}

export function toApproximate(value: Value): Approximate {
  if (!isExact(value)) return value;
  const nearest = toDouble(value);
  return isWhole(value) && Number.isSafeInteger(nearest) ? { value: nearest, error: 0 } : approximate(nearest);
}

/** Each operation and function of doubles is right to this part of its result. */
const roundingError = 2 * Number.EPSILON;

/**
 * Works out a function in double precision. Its error comes from the errors of its numbers: the function is tried at
 * both ends of where they can be. That is the idea of interval arithmetic.
 */
export function estimate(call: (...values: number[]) => number, ...inputs: readonly Value[]): Approximate {
  const numbers = inputs.map(toApproximate);
  const value = call(...numbers.map((number) => number.value));
  const corners = numbers.reduce<number[][]>(
    (before, { value, error }) =>
      before.flatMap((corner) => [
        [...corner, value - error],
        [...corner, value + error],
      ]),
    [[]],
  );
  const differences = corners.map((corner) => Math.abs(call(...corner) - value)).filter((size) => !Number.isNaN(size));
  return { value, error: Math.max(...differences, 0) + Math.abs(value) * roundingError };
}

export function add(left: Value, right: Value): Value {
  return isExact(left) && isExact(right) ? addExact(left, right) : estimate((a, b) => a + b, left, right);
}

export function negate(value: Value): Value {
  return isExact(value)
    ? { numerator: -value.numerator, denominator: value.denominator }
    : { value: -value.value, error: value.error };
}

export function subtract(left: Value, right: Value): Value {
  return add(left, negate(right));
}

export function multiply(left: Value, right: Value): Value {
  return isExact(left) && isExact(right) ? multiplyExact(left, right) : estimate((a, b) => a * b, left, right);
}

/** Divides by a number that is not 0. */
export function divide(left: Value, right: Value): Value {
  return isExact(left) && isExact(right) ? divideExact(left, right) : estimate((a, b) => a / b, left, right);
}

/** Returns the remainder, with the sign of the right number, which is not 0. Returns undefined if it is uncertain. */
export function modulo(left: Value, right: Value): Value | undefined {
  const quotient = floor(divide(left, right));
  return quotient && subtract(left, multiply(right, quotient));
}

export function power(base: Value, exponent: Value): Value {
  const whole = isExact(base) && isExact(exponent) ? exactPower(base, exponent) : undefined;
  return whole ?? estimate((a, b) => a ** b, base, exponent);
}

function exactPower(base: Exact, { numerator, denominator }: Exact): Exact | undefined {
  if (denominator !== 1n && base.numerator < 0n) return undefined;
  const root = denominator === 1n ? base : rootExact(base, denominator);
  return root && powerExact(root, numerator);
}

export function isZero(value: Value): boolean {
  return isExact(value) && value.numerator === 0n;
}

/** Rounds down. Returns undefined if it is uncertain between which whole numbers an approximate number is. */
export function floor(value: Value): Exact | undefined {
  if (isExact(value)) return exact(floorExact(value));
  const least = Math.floor(value.value - value.error);
  return least === Math.floor(value.value + value.error) ? exact(least) : undefined;
}
