import type { BigNumber } from "mathjs";
import mathjs from "mathjs/lib/browser/math.js";

/** Mathjs with decimals of 200 digits, which are enough for each sum, product and quotient of exact numbers. */
export const maths = mathjs.create(mathjs.all);
maths.config({ number: "BigNumber", precision: 200, relTol: 1e-190, absTol: 0 });

/** A number of a calculation: a double, and the most that it can be wrong. */
export interface Value {
  readonly double: number;
  readonly error: number;
  /** The number itself if it is known exactly. It is under 1e40, and has up to 40 decimals. */
  readonly decimal?: BigNumber;
}

/** Tells in words for the model why there is no number. */
export class Refusal extends Error {}

/** Takes the double that is nearest to what is meant. */
export function ofDouble(double: number): Value {
  return { double, error: (Math.abs(double) * Number.EPSILON) / 2 };
}

export function ofDecimal(decimal: BigNumber): Value {
  const nearest = ofDouble(decimal.toNumber());
  if (!decimal.abs().lt(1e40) || decimal.decimalPlaces() > 40) return nearest;
  return { ...nearest, ...(Number.isSafeInteger(nearest.double) && decimal.isInteger() && { error: 0 }), decimal };
}

export function ofNumber(number: number | bigint): Value {
  return ofDecimal(maths.bignumber(number));
}

/** The operators and functions of mathjs that are worked out with decimals, too, as that is quick. */
export const exactFunctions = new Set(
  "abs add cbrt ceil cube divide fix floor hypot max median min mod multiply pow round sign sqrt square subtract unaryMinus unaryPlus".split(
    " ",
  ),
);
/** Functions that mathjs works out for doubles with a tolerance, and here for the decimals of doubles. */
const steps = new Set(["ceil", "fix", "floor", "round", "sign"]);

/**
 * Works out a function of mathjs: with decimals if all numbers are exact, else with doubles. Their error comes from the
 * errors of the numbers: each of them is tried a little less and a little more.
 */
export function work(name: string, ...values: readonly Value[]): Value {
  const doubles = values.map((value) => value.double);
  const { double, error } = ofDouble(numberOf(name, doubles));
  const decimals = values.flatMap(({ decimal }) => decimal ?? []);
  const canBeExact = decimals.length === values.length && Math.abs(double) < 1e40 && exactFunctions.has(name);
  const isQuick = name !== "pow" || (decimals[1]?.isInteger() && decimals[1].abs().lt(1e15));
  const result = canBeExact && isQuick ? run(name, decimals) : undefined;
  if (maths.isBigNumber(result)) return ofDecimal(result);
  const reach = values.map((value, at) => {
    const ends = [value.double - value.error, value.double + value.error];
    return Math.max(...ends.map((end) => Math.abs(numberOf(name, doubles.with(at, end)) - double)));
  });
  const ofPeriod = /^(?:mod|sin|cos|tan)$/.test(name) ? (values[0]?.error ?? 0) : 0;
  const total = Math.max(
    ofPeriod,
    reach.reduce((sum, each) => sum + each, 0),
  );
  const isSure = total === 0 && (steps.has(name) || (doubles.includes(0) && Number.isInteger(double)));
  return isSure ? ofNumber(double) : { double, error: total + 2 * error };
}

function numberOf(name: string, doubles: readonly number[]): number {
  const [left = 0, right = 0] = doubles;
  if (name === "mod") return left - right * Math.floor(left / right);
  const result = run(name, steps.has(name) ? doubles.map((double) => maths.bignumber(double)) : doubles);
  return typeof result === "number" ? result : maths.isBigNumber(result) ? result.toNumber() : Number.NaN;
}

function run(name: string, given: readonly unknown[]): unknown {
  try {
    return maths[name]?.(...given);
  } catch (error) {
    throw new Refusal(`cannot be worked out (${error instanceof Error ? error.message : error})`);
  }
}

/** Writes the digits that are right. A note follows if fewer than 15 are, or if the number is too large to be exact. */
export function writeNumber({ double, error, decimal }: Value): readonly [digits: string, ...notes: string[]] {
  const size = Math.abs(double);
  if (decimal !== undefined) return [size < 1e-15 ? decimal.toString() : decimal.toFixed()];
  if (size <= error && error < 1e-12) return ["0", "rounded"];
  const sure = Math.min(15, Math.floor(Math.log10(size / error)));
  if (sure < 3)
    throw new Refusal("rounding leaves too few of its digits; write it with whole numbers, or an angle in degrees");
  const rounded = Number(double.toPrecision(sure));
  const digits = size < 1e15 ? String(rounded) : rounded.toExponential();
  return sure < 14 || size >= 1e15 ? [digits, `rounded to ${sure} digits`] : [digits];
}
