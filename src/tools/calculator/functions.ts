import mathjs from "mathjs/lib/browser/math.js";

/** Mathjs reads numbers as decimals, which tells how long they are. All else is worked out with doubles. */
export const maths = mathjs.create({ number: "BigNumber" });
// Mathjs reads an expression without these, and takes most of its time at a start to make them.
Object.assign(maths, { Unit: null, matrix: null, subset: null });

/** Tells in words for the model why there is no number. */
export class Refusal extends Error {}

type Call = (...numbers: number[]) => number;

/** Rounds to 15 digits, which takes away what doubles add: 4.35 * 100 is 435, and not 434.99999999999994. */
function fifteenDigits(value: number): number {
  return Math.abs(value) < 1e15 ? Number(value.toPrecision(15)) : value;
}

/** Takes away what doubles add to a difference, as spreadsheets do: the places after the 15th digit of the larger number. */
function settled(value: number, ...numbers: number[]): number {
  const size = Math.max(...numbers.map(Math.abs));
  const places = 14 - Math.floor(Math.log10(size));
  const isSure = Math.abs(value) > size / 2 || numbers.every(Number.isSafeInteger);
  return isSure || places > 100 ? value : Number(value.toFixed(Math.max(0, places)));
}

function divisor(value: number): number {
  if (value === 0) throw new Refusal("divides by zero");
  return value;
}

const add = (left: number, right: number) => settled(left + right, left, right);
const subtract = (left: number, right: number) => add(left, -right);
const multiply = (left: number, right: number) => left * right;
const divide = (left: number, right: number) => left / divisor(right);
const pow = (base: number, exponent: number) => (exponent < 0 ? divisor(base) : base) ** exponent;
const sum: Call = (...numbers) => numbers.reduce(add);
const product: Call = (...numbers) => numbers.reduce(multiply);
const mean: Call = (...numbers) => sum(...numbers) / numbers.length;
const sin = (angle: number) => settled(Math.sin(angle), angle);
const cos = (angle: number) => settled(Math.cos(angle), angle);
const tan = (angle: number) => divisor(cos(angle)) && settled(Math.tan(angle), angle);

/** The remainder is worked out in decimals, as a double of the right number is too far off after many times. */
function mod(left: number, right: number): number {
  if (Math.abs(left) + Math.abs(right) > 2 ** 53) throw new Refusal("needs numbers up to 2^53");
  const rest = Number(maths.bignumber(fifteenDigits(left)).mod(divisor(fifteenDigits(right))));
  return Math.sign(rest) === -Math.sign(right) ? add(rest, right) : rest;
}

const ln = (value: number) => Math.log(value || Number.NaN);
const log2 = (value: number) => Math.log2(value || Number.NaN);
const log10 = (value: number) => Math.log10(value || Number.NaN);

function nthroot(value: number, degree: number): number {
  const root = Math.abs(value) ** (1 / divisor(degree));
  return value >= 0 ? root : Math.abs(degree % 2) === 1 ? -root : Number.NaN;
}

function median(...numbers: number[]): number {
  const middle = (numbers.length - 1) / 2;
  const sorted = numbers.toSorted((left, right) => left - right);
  return mean(...sorted.slice(Math.floor(middle), Math.ceil(middle) + 1));
}

/** Moves the decimal point in the text of a number, which adds no rest as a product would: 1.005 becomes 100.5. */
function moved(value: number, places: number): number {
  const [digits, power = "0"] = String(value).split("e");
  return Number(`${digits}e${Number(power) + places}`);
}

function rounding(toWhole: (value: number) => number): Call {
  return (value = Number.NaN, decimals = 0) => {
    const canMove = Number.isInteger(decimals) && Math.abs(decimals) <= 15;
    if (!canMove) throw new Refusal("needs a whole number of decimals from -15 to 15");
    return moved(toWhole(moved(fifteenDigits(value), decimals)), -decimals);
  };
}

function count(value: number): number {
  const whole = fifteenDigits(value);
  if (Number.isSafeInteger(whole) && whole >= 0) return whole;
  throw new Refusal("needs whole numbers from 0 to 2^53");
}

const divisorOf = (left: number, right: number): number => (right === 0 ? left : divisorOf(right, left % right));
const gcd: Call = (...numbers) => numbers.map(count).reduce(divisorOf);
const lcm: Call = (...numbers) => numbers.reduce((left, right) => (left / divisor(gcd(left, right))) * right);

/** Counts ordered choices exactly. Stops after 1,100 steps, because no double is as large as that result. */
function ways(things: number, chosen: number): bigint {
  let product = chosen > things ? 0n : 1n;
  for (let step = 0; step < Math.min(chosen, 1100); step++) product *= BigInt(things - step);
  return product;
}

const permutations = (things: number, chosen: number) => Number(ways(count(things), count(chosen)));

function combinations(things: number, chosen: number): number {
  const fewer = Math.min(count(chosen), count(things) - count(chosen));
  return fewer < 0 ? 0 : Number(ways(count(things), fewer) / ways(fewer, fewer));
}

const { abs, sqrt, cbrt, exp, sign, asin, acos, atan, atan2, sinh, cosh, tanh } = Math;

/** The functions by their names in small letters. One with rest parameters takes any count of numbers. */
export const functions: ReadonlyMap<string, Call> = new Map<string, Call>(
  Object.entries({
    ...{ abs, sqrt, cbrt, exp, sign, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh },
    ...{ add, subtract, multiply, divide, mod, pow, sum, product, mean, average: mean, median },
    ...{ gcd, lcm, permutations, perm: permutations, combinations, comb: combinations, ln, log2, log10, nthroot },
    ...{ floor: rounding(Math.floor), ceil: rounding(Math.ceil), fix: rounding(Math.trunc) },
    ...{ min: (...list: number[]) => Math.min(...list), max: (...list: number[]) => Math.max(...list) },
    hypot: (...list: number[]) => Math.hypot(...list),
    ...{ square: (value: number) => value ** 2, cube: (value: number) => value ** 3 },
    round: rounding((value) => Math.sign(value) * Math.round(Math.abs(value))),
    log: (value = Number.NaN, base = Math.E) => ln(value) / divisor(ln(base)),
    factorial: (value: number) => permutations(value, value),
  }),
);

/** The operators by mathjs's names. Its apostrophe, `ctranspose`, is the sign of a percentage here. */
const unary = { unaryMinus: (value: number) => -value, unaryPlus: Number, ctranspose: (value: number) => value / 100 };
export const operators: typeof functions = new Map([...functions, ...Object.entries(unary)]);

export const constants = new Map(Object.entries({ pi: Math.PI, e: Math.E, tau: 2 * Math.PI, phi: 1.618033988749895 }));
