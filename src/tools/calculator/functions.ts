import { exact, isWhole } from "./exact.js";
import {
  ceil,
  cosineOfDegrees,
  greatest,
  hypot,
  isNegative,
  least,
  logarithm,
  mean,
  median,
  naturalLogarithm,
  noNumber,
  nthRoot,
  ofDoubles,
  round,
  sineOfDegrees,
  sum,
  tangentOfDegrees,
} from "./real-functions.js";
import {
  approximate,
  estimate,
  floor,
  isExact,
  isZero,
  modulo,
  multiply,
  negate,
  power,
  type Value,
} from "./values.js";
import {
  combinations,
  factorial,
  greatestCommonDivisor,
  leastCommonMultiple,
  permutations,
} from "./whole-functions.js";

export const constants: ReadonlyMap<string, Value> = new Map([
  ["pi", approximate(Math.PI)],
  ["e", approximate(Math.E)],
  ["tau", approximate(2 * Math.PI)],
  ["phi", approximate((1 + Math.sqrt(5)) / 2)],
]);

/** A function that may be called. */
export interface NumericFunction {
  readonly name: string;
  /** The least and the greatest number of its arguments. */
  readonly least: number;
  readonly most: number;
  /** Returns undefined if it cannot be worked out for these numbers. */
  readonly call: (...values: readonly Value[]) => Value | undefined;
  /** The numbers that it takes, for the words of an error. */
  readonly takes: string;
  /** What the answer tells about it, as others mean something else by its name. */
  readonly convention?: string;
}

const radians = { convention: "angles are in radians" };
const degrees = { convention: "angles are in degrees" };
const naturalLog = { convention: "log is the natural logarithm, with base e; log10 has base 10" };
const wholeNumbers = { takes: "it takes whole numbers" };
const wholePositive = { takes: "it takes two whole numbers that are not negative" };

const list: readonly NumericFunction[] = [
  entry("abs", 1, 1, (value) => (isNegative(value) ? negate(value) : value)),
  entry("sqrt", 1, 1, (value) => nthRoot(value, exact(2n))),
  entry("cbrt", 1, 1, (value) => nthRoot(value, exact(3n))),
  entry("floor", 1, 1, floor),
  entry("ceil", 1, 1, ceil),
  entry("fix", 1, 1, (value) => (isNegative(value) ? ceil(value) : floor(value))),
  entry("sign", 1, 1, (value) => (isZero(value) ? value : exact(isNegative(value) ? -1n : 1n))),
  entry("exp", 1, 1, ofDoubles(Math.exp)),
  entry("log10", 1, 1, (value) => logarithm(value, exact(10n), estimate(Math.log10, value))),
  entry("log2", 1, 1, (value) => logarithm(value, exact(2n), estimate(Math.log2, value))),
  entry("square", 1, 1, (value) => multiply(value, value)),
  entry("cube", 1, 1, (value) => multiply(value, multiply(value, value))),
  ...(["sin", "cos", "tan", "asin", "acos", "atan"] as const).map((name) =>
    entry(name, 1, 1, ofDoubles(Math[name]), radians),
  ),
  entry("sind", 1, 1, sineOfDegrees, degrees),
  entry("cosd", 1, 1, cosineOfDegrees, degrees),
  entry("tand", 1, 1, tangentOfDegrees, degrees),
  ...(["sinh", "cosh", "tanh"] as const).map((name) => entry(name, 1, 1, ofDoubles(Math[name]))),
  entry("min", 1, 100, least),
  entry("max", 1, 100, greatest),
  entry("sum", 1, 100, sum),
  entry("product", 1, 100, (...values) => values.reduce(multiply)),
  entry("mean", 1, 100, mean),
  entry("average", 1, 100, mean),
  entry("median", 1, 100, median),
  entry("gcd", 1, 100, ofWhole(greatestCommonDivisor), wholeNumbers),
  entry("lcm", 1, 100, ofWhole(leastCommonMultiple), wholeNumbers),
  entry("hypot", 1, 100, hypot),
  entry("atan2", 2, 2, ofDoubles(Math.atan2), radians),
  entry("mod", 2, 2, (left, right) => (isZero(right) ? noNumber : modulo(left, right))),
  entry("pow", 2, 2, power),
  entry("combinations", 2, 2, ofWhole(combinations), wholePositive),
  entry("comb", 2, 2, ofWhole(combinations), wholePositive),
  entry("permutations", 2, 2, ofWhole(permutations), wholePositive),
  entry("perm", 2, 2, ofWhole(permutations), wholePositive),
  entry("factorial", 1, 1, ofWhole(factorial), { takes: "a factorial is worked out for whole numbers from 0 to 170" }),
  entry("ln", 1, 1, naturalLogarithm),
  entry("log", 1, 1, naturalLogarithm, naturalLog),
  entry("log", 2, 2, logarithm),
  entry("nthRoot", 2, 2, nthRoot),
  entry("round", 1, 2, round, { takes: "the digits are a whole number from -300 to 300" }),
];

/** Returns the functions of a name, whatever its case: one for each number of arguments that they differ in. */
export function functionsNamed(name: string): readonly NumericFunction[] {
  return list.filter((known) => known.name.toLowerCase() === name.toLowerCase());
}

/** The names of the functions, for the words of an error. */
export const functionNames: readonly string[] = [...new Set(list.map(({ name }) => name))];

function entry(
  name: string,
  least: number,
  most: number,
  call: NumericFunction["call"],
  words: Pick<NumericFunction, "convention"> & Partial<Pick<NumericFunction, "takes">> = {},
): NumericFunction {
  return { name, least, most, call, takes: "it needs more digits than a rounded number has", ...words };
}

function ofWhole(call: (...numbers: bigint[]) => bigint | undefined): NumericFunction["call"] {
  return (...values) => {
    const numbers = values.filter(isExact).filter(isWhole);
    const result = numbers.length === values.length ? call(...numbers.map(({ numerator }) => numerator)) : undefined;
    return result === undefined ? undefined : exact(result);
  };
}
