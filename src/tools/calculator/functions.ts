import { exactFunctions, ofDouble, ofNumber, Refusal, type Value, work } from "./numbers.js";

const doubles = { pi: Math.PI, e: Math.E, tau: 2 * Math.PI, phi: 1.618033988749895 };
export const constants = new Map(Object.entries(doubles).map(([name, double]) => [name, ofDouble(double)]));

type Call = (...values: readonly Value[]) => Value;

/** The functions that mathjs has by another name, or for which it takes too long or has too few digits. */
const own: ReadonlyMap<string, Call> = new Map<string, Call>([
  ["ln", (...values) => work("log", ...values)],
  ["ctranspose", (...values) => work("divide", ...values, ofNumber(100))],
  ["nthroot", (...values) => work("nthRoot", ...values)],
  ["sum", pairwise("add")],
  ["product", pairwise("multiply")],
  ["mean", mean],
  ["average", mean],
  ["factorial", ofWhole((value) => factorial(value))],
  ["combinations", ofWhole((things, chosen) => combinations(things, chosen))],
  ["comb", ofWhole((things, chosen) => combinations(things, chosen))],
  ["permutations", ofWhole((things, chosen) => combinations(things, chosen) * factorial(chosen))],
  ["perm", ofWhole((things, chosen) => combinations(things, chosen) * factorial(chosen))],
  ["gcd", ofWhole((...numbers) => numbers.reduce(divisor))],
  ["lcm", ofWhole((...numbers) => numbers.reduce((left, right) => (left * right) / (divisor(left, right) || 1n)))],
]);

const roughFunctions = "exp log log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh".split(" ");

/** The names of the operators and functions. Mathjs's apostrophe, `ctranspose`, is the sign of a percentage here. */
export const functions: ReadonlySet<string> = new Set([...exactFunctions, ...roughFunctions, ...own.keys()]);

/** Works out an operator or a function. A refusal goes on after the text of what is to be worked out. */
export function apply(name: string, ...values: readonly Value[]): Value {
  const [left, right] = values.map(({ double }) => double);
  if (left === undefined) throw new Refusal("needs a number");
  const hasDivisor = name === "divide" || name === "mod" || name === "nthroot";
  if (hasDivisor ? right === 0 : name === "pow" && left === 0 && Number(right) < 0)
    throw new Refusal(`divides by ${values[1]?.error ? "what rounding leaves at " : ""}zero`);
  const isLogarithm = /^(?:log|ln)/.test(name);
  const isNone = isLogarithm ? left <= 0 || right === 1 : name === "pow" && left < 0 && !Number.isSafeInteger(right);
  if (isNone) throw new Refusal("has no value among the real numbers");
  if (isLogarithm && values[0]?.decimal?.eq(1)) return ofNumber(0);
  if (name === "pow" && values[1]?.decimal?.eq(0.5)) return work("sqrt", ...values.slice(0, 1));
  return own.get(name)?.(...values) ?? work(name, ...values);
}

function pairwise(name: string): Call {
  return (...values) => values.reduce((left, right) => work(name, left, right));
}

function mean(...values: readonly Value[]): Value {
  return work("divide", pairwise("add")(...values), ofNumber(values.length));
}

/** Makes a function of exact whole numbers. */
function ofWhole(call: (...numbers: bigint[]) => bigint): Call {
  return (...values) => {
    const whole = values.flatMap(({ decimal }) => (decimal?.isInteger() && decimal.gte(0) ? decimal.toFixed() : []));
    if (whole.length === (call.length || values.length)) return ofNumber(call(...whole.map(BigInt)));
    throw new Refusal(`needs ${call.length || "only"} whole numbers from 0 on, of up to 40 digits`);
  };
}

/** No double is larger. Functions stop there, so that none takes long. */
const largest = 2n ** 1024n;

function factorial(value: bigint): bigint {
  return value > 170n ? largest : value < 2n ? 1n : value * factorial(value - 1n);
}

/** Half of the choices double with each step, so that the largest number comes after 1,024 steps at most. */
function combinations(things: bigint, chosen: bigint): bigint {
  if (chosen > things) return 0n;
  const fewer = chosen < things - chosen ? chosen : things - chosen;
  let ways = 1n;
  for (let step = 1n; step <= fewer && ways < largest; step++) ways = (ways * (things - fewer + step)) / step;
  return ways;
}

function divisor(left: bigint, right: bigint): bigint {
  return right === 0n ? left : divisor(right, left % right);
}
