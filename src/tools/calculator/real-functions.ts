import { addExact, compareExact, divideExact, type Exact, exact, floorExact, isWhole, powerExact } from "./exact.js";
import {
  add,
  divide,
  estimate,
  floor,
  isExact,
  isZero,
  multiply,
  negate,
  power,
  toApproximate,
  type Value,
} from "./values.js";

const half = exact(1n, 2n);
/** The value of a function where it has none among the real numbers. */
export const noNumber: Value = { value: Number.NaN, error: 0 };

/** Makes a function of doubles one of all numbers. At 0 it is exact if it is a whole number there: cos(0) is 1. */
export function ofDoubles(call: (...values: number[]) => number): (...values: readonly Value[]) => Value {
  return (...values) => {
    const estimated = estimate(call, ...values);
    return values.every(isZero) && Number.isInteger(estimated.value) ? exact(estimated.value) : estimated;
  };
}

export function isNegative(value: Value): boolean {
  return toApproximate(value).value < 0;
}

function compare(left: Value, right: Value): number {
  if (isExact(left) && isExact(right)) return compareExact(left, right);
  return toApproximate(left).value - toApproximate(right).value;
}

export function least(...values: readonly Value[]): Value {
  return values.reduce((found, value) => (compare(value, found) < 0 ? value : found));
}

export function greatest(...values: readonly Value[]): Value {
  return values.reduce((found, value) => (compare(value, found) > 0 ? value : found));
}

export function sum(...values: readonly Value[]): Value {
  return values.reduce(add);
}

export function mean(...values: readonly Value[]): Value {
  return divide(sum(...values), exact(values.length));
}

export function median(...values: readonly Value[]): Value {
  const sorted = values.toSorted(compare);
  return mean(...sorted.slice(Math.ceil(values.length / 2) - 1, Math.floor(values.length / 2) + 1));
}

export function hypot(...values: readonly Value[]): Value {
  return power(sum(...values.map((value) => multiply(value, value))), half);
}

export function ceil(value: Value): Value | undefined {
  const below = floor(negate(value));
  return below && negate(below);
}

/** Rounds to a number of decimal digits, halves away from 0. It is exact, or undefined if it is uncertain. */
export function round(value: Value, digits: Value = exact(0n)): Value | undefined {
  if (!isExact(digits) || !isWhole(digits) || digits.numerator < -300n || digits.numerator > 300n) return undefined;
  if (isNegative(value)) {
    const positive = round(negate(value), digits);
    return positive && negate(positive);
  }
  const scale = power(exact(10n), digits);
  const whole = floor(add(multiply(value, scale), half));
  return whole && divide(whole, scale);
}

/** Returns a root. A negative number has one if the degree is odd. */
export function nthRoot(value: Value, degree: Value): Value | undefined {
  if (!isExact(degree) || isZero(degree)) return undefined;
  const isOdd = isWhole(degree) && degree.numerator % 2n !== 0n;
  if (!isNegative(value) || !isOdd) return rootOf(value, degree);
  return negate(rootOf(negate(value), degree));
}

function rootOf(value: Value, degree: Exact): Value {
  const root = power(value, divide(exact(1n), degree));
  const inDoubles = isWhole(degree) ? rootsOfDoubles.get(degree.numerator) : undefined;
  return isExact(root) || inDoubles === undefined ? root : estimate(inDoubles, value);
}

/** They have more digits than a power, as 1/3 is no double. */
const rootsOfDoubles: ReadonlyMap<bigint, (value: number) => number> = new Map([
  [2n, Math.sqrt],
  [3n, Math.cbrt],
]);

export function naturalLogarithm(value: Value): Value {
  if (isExact(value) && compareExact(value, exact(1n)) === 0) return exact(0n);
  return isZero(value) ? noNumber : estimate(Math.log, value);
}

/** Returns a logarithm of any base. It is exact for a whole power of the base. */
export function logarithm(value: Value, base: Value, estimated: Value = quotientOfLogarithms(value, base)): Value {
  if (!isExact(value) || !isExact(base)) return estimated;
  const exponent = Math.round(toApproximate(estimated).value);
  const whole = Number.isSafeInteger(exponent) ? powerExact(base, BigInt(exponent)) : undefined;
  return whole && compareExact(whole, value) === 0 ? exact(exponent) : estimated;
}

function quotientOfLogarithms(value: Value, base: Value): Value {
  const below = naturalLogarithm(base);
  return isZero(below) ? noNumber : divide(naturalLogarithm(value), below);
}

export function sineOfDegrees(angle: Value): Value {
  const inTurn = isExact(angle) ? withinTurn(angle) : angle;
  const known = isExact(inTurn) && isWhole(inTurn) ? exactSines.get(inTurn.numerator) : undefined;
  return known ?? estimate((degrees) => Math.sin((degrees * Math.PI) / 180), inTurn);
}

export function cosineOfDegrees(angle: Value): Value {
  return sineOfDegrees(add(angle, exact(90n)));
}

export function tangentOfDegrees(angle: Value): Value {
  const cosine = cosineOfDegrees(angle);
  return isZero(cosine) ? noNumber : divide(sineOfDegrees(angle), cosine);
}

function withinTurn(angle: Exact): Exact {
  const turn = exact(360n);
  return addExact(angle, exact(-360n * floorExact(divideExact(angle, turn))));
}

/** The sines that are quotients of whole numbers, by their angles in degrees. */
const exactSines: ReadonlyMap<bigint, Exact> = new Map([
  [0n, exact(0n)],
  [30n, half],
  [90n, exact(1n)],
  [150n, half],
  [180n, exact(0n)],
  [210n, exact(-1n, 2n)],
  [270n, exact(-1n)],
  [330n, exact(-1n, 2n)],
]);
