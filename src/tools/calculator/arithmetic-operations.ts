import type { MathsLibrary } from "./maths-library.js";

/** A number: a bigint for whole numbers, which are exact at any length, and double precision for all others. */
export type Value = number | bigint;

export const constants: ReadonlyMap<string, Value> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
  ["tau", 2 * Math.PI],
  ["phi", (1 + Math.sqrt(5)) / 2],
]);

/** The operators, under their names in mathjs. */
export const operators: ReadonlyMap<string, (left: Value, right: Value) => Value> = new Map([
  [
    "add",
    whole(
      (left, right) => left + right,
      (left, right) => left + right,
    ),
  ],
  [
    "subtract",
    whole(
      (left, right) => left - right,
      (left, right) => left - right,
    ),
  ],
  [
    "multiply",
    whole(
      (left, right) => left * right,
      (left, right) => left * right,
    ),
  ],
  ["divide", whole(divideWhole, (left, right) => left / right)],
  ["mod", whole(modWhole, (left, right) => left - right * Math.floor(left / right))],
  ["pow", whole(powWhole, (left, right) => left ** right)],
]);

function whole(
  exact: (left: bigint, right: bigint) => Value,
  approximate: (left: number, right: number) => number,
): (left: Value, right: Value) => Value {
  return (left, right) =>
    typeof left === "bigint" && typeof right === "bigint"
      ? exact(left, right)
      : approximate(Number(left), Number(right));
}

function divideWhole(left: bigint, right: bigint): Value {
  return right !== 0n && left % right === 0n ? left / right : Number(left) / Number(right);
}

function modWhole(left: bigint, right: bigint): Value {
  return right === 0n ? Number.NaN : ((left % right) + right) % right;
}

/**
 * Raises a whole number to a power. The result is exact only if a double could hold it, too. So 9^9^9 costs nothing.
 */
function powWhole(base: bigint, exponent: bigint): Value {
  const approximate = Number(base) ** Number(exponent);
  return exponent >= 0n && Number.isFinite(approximate) ? base ** exponent : approximate;
}

/** A function that may be called, with the least and the greatest number of its arguments. */
export interface NumericFunction {
  readonly least: number;
  readonly most: number;
  readonly call: (...values: number[]) => unknown;
}

/** Returns the functions that may be called, by name. */
export function numericFunctions(maths: MathsLibrary): ReadonlyMap<string, NumericFunction> {
  const unary = [
    "abs",
    "sqrt",
    "cbrt",
    "floor",
    "ceil",
    "fix",
    "sign",
    "exp",
    "log10",
    "log2",
    "square",
    "cube",
  ] as const;
  const trigonometric = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"] as const;
  const several = ["min", "max", "sum", "mean", "median", "gcd", "lcm", "hypot"] as const;
  const binary = ["atan2", "mod", "pow", "combinations", "permutations"] as const;
  return new Map<string, NumericFunction>([
    ...unary.map((name) => entry(name, 1, 1, maths[name])),
    ...trigonometric.map((name) => entry(name, 1, 1, withoutNoise(maths[name]))),
    ...several.map((name) => entry(name, 1, 100, maths[name])),
    ...binary.map((name) => entry(name, 2, 2, maths[name])),
    entry("factorial", 1, 1, maths.factorial),
    entry("ln", 1, 1, maths.log),
    entry("log", 1, 2, maths.log),
    entry("nthRoot", 2, 2, maths.nthRoot),
    entry("round", 1, 2, maths.round),
  ]);
}

function entry(
  name: string,
  least: number,
  most: number,
  call: (...values: number[]) => unknown,
): [string, NumericFunction] {
  return [name, { least, most, call }];
}

/** Makes a function return 0 for a tiny rest that double precision leaves: sin(pi) is 0, and not 1.2e-16. */
function withoutNoise(call: (angle: number) => unknown): (angle: number) => number {
  return (angle) => {
    const value = Number(call(angle));
    return Math.abs(value) < 1e-15 ? 0 : value;
  };
}
