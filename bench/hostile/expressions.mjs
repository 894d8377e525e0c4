// Makes expressions for the calculator, with their values where they are known.
import { below, less, minus, over, plus, raised, reduced, size, times, whole } from "./rationals.mjs";

const largest = 2n ** 1023n;
const smallest = 10n ** 279n;
const longestDenominator = 2n ** 512n;

/** Makes items `{ text, value }`: a value is a rational number, or undefined if any answer will do. */
export function expressions(chance, count) {
  const kinds = [arithmetic, arithmetic, call, call, written, words, nested, huge, soup, library];
  return Array.from({ length: count }, (_, at) => {
    const item = kinds[at % kinds.length](chance);
    return item.text.length > 1000 ? { text: item.text } : item;
  });
}

/** A whole number of up to 40 digits, or a decimal. */
function literal({ whole: below, pick }) {
  const digits = `${1 + below(9)}${Array.from({ length: below(pick([3, 3, 20, 40])) }, () => below(10)).join("")}`;
  if (below(3) > 0) return { text: digits, value: whole(digits) };
  const decimals = Array.from({ length: 1 + below(6) }, () => below(10)).join("");
  const value = reduced([BigInt(digits + decimals), 10n ** BigInt(decimals.length)]);
  return { text: `${digits}.${decimals}`, value };
}

const operators = [
  ["+", plus],
  ["-", minus],
  ["*", times],
  ["/", over],
  ["mod", (left, right) => (right[0] === 0n ? undefined : minus(left, times(right, below(over(left, right)))))],
];

function arithmetic(chance, depth = 1 + chance.whole(6)) {
  if (depth === 0) return literal(chance);
  const left = arithmetic(chance, depth - 1);
  if (chance.whole(6) === 0) {
    const exponent = chance.whole(5);
    return known(`(${left.text})^${exponent}`, left.value && raised(left.value, exponent));
  }
  if (chance.whole(8) === 0) return known(`-(${left.text})`, left.value && minus(whole(0), left.value));
  const right = arithmetic(chance, chance.whole(depth));
  const [sign, work] = chance.pick(operators);
  const value = left.value && right.value && work(left.value, right.value);
  return known(
    `(${left.text}) ${sign} (${right.text})`,
    value && cancels(value, left.value, right.value) ? undefined : value,
  );
}

/** Tells if so many digits of numbers that are not whole are taken away that those of doubles cannot be asked for. */
function cancels(value, left, right) {
  return left[1] * right[1] !== 1n && less(times(size(value), whole(100)), size(left));
}

/** An item without a value if it is out of range. The calculator then refuses it, or its rest is not exact. */
function known(text, value) {
  const isInside =
    value &&
    value[1] < longestDenominator &&
    less(size(value), [largest, 1n]) &&
    (value[0] === 0n || less([1n, smallest], size(value)));
  return { text, value: isInside ? value : undefined };
}

const sum = (values) => values.reduce(plus);
const sorted = (values) => values.toSorted((left, right) => (less(left, right) ? -1 : Number(less(right, left))));
const product = (from, to) => {
  let result = 1n;
  for (let factor = BigInt(from); factor <= BigInt(to); factor += 1n) result *= factor;
  return result;
};
const divisor = (left, right) => (right === 0n ? left : divisor(right, left % right));

const functions = {
  abs: ([value]) => size(value),
  floor: ([value]) => below(value),
  ceil: ([value]) => minus(whole(0), below(minus(whole(0), value))),
  sign: ([value]) => whole(value[0] === 0n ? 0 : value[0] < 0n ? -1 : 1),
  square: ([value]) => times(value, value),
  cube: ([value]) => times(value, times(value, value)),
  max: (values) => sorted(values).at(-1),
  min: (values) => sorted(values)[0],
  sum,
  mean: (values) => over(sum(values), whole(values.length)),
  median: (values) => {
    const ordered = sorted(values);
    const middle = ordered.length / 2;
    return ordered.length % 2 ? ordered[middle - 0.5] : over(plus(ordered[middle - 1], ordered[middle]), whole(2));
  },
};

function call(chance) {
  const large = () => BigInt(Math.floor(chance.number() * 1e15)) * BigInt(1 + chance.whole(1e9)) + 1n;
  const [a, b] = [large(), large()];
  const small = chance.whole(171);
  const chosen = chance.whole(small + 1);
  const ways = product(small - chosen + 1, small);
  const name = chance.pick(Object.keys(functions));
  const count = ["max", "min", "sum", "mean", "median"].includes(name) ? 1 + chance.whole(6) : 1;
  const given = Array.from({ length: count }, () => literal(chance));
  return chance.pick([
    () => known(`gcd(${a * 6n}, ${b * 6n})`, whole(divisor(a * 6n, b * 6n))),
    () => known(`lcm(${a}, ${b})`, whole((a * b) / divisor(a, b))),
    () => known(`mod(${a}, ${b})`, whole(a % b)),
    () => known(`factorial(${small})`, whole(product(1, small))),
    () => known(`permutations(${small}, ${chosen})`, whole(ways)),
    () => known(`combinations(${small}, ${chosen})`, whole(ways / product(1, chosen))),
    () => known(`sqrt(${a * a})`, whole(a)),
    () => known(`cbrt(-${a * a * a})`, whole(-a)),
    () => known(`nthRoot(${a ** 5n}, 5)`, whole(a)),
    () => known(`log2(${2n ** BigInt(small)})`, whole(small)),
    () => known(`log(${7n ** BigInt(small)}, 7)`, whole(small)),
    () => known(`round(${a}.4999, 0)`, whole(a)),
    () =>
      known(`${name}(${given.map(({ text }) => text).join(", ")})`, functions[name](given.map(({ value }) => value))),
    () =>
      known(`${name}(${given.map(({ text }) => text).join(", ")})`, functions[name](given.map(({ value }) => value))),
  ])();
}

/** Numbers and operators as people and models write them. */
function written(chance) {
  const [a, b] = [1 + chance.whole(1e6), 1 + chance.whole(99)];
  const grouped = a.toLocaleString("en-US");
  const superscript = String(b).replace(/./g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  return chance.pick([
    () => known(`$${grouped} × ${b}`, whole(a * b)),
    () => known(`${grouped} ÷ ${b}?`, over(whole(a), whole(b))),
    () => known(`what is ${a} − ${b}`, whole(a - b)),
    () => known(`√${a * a}`, whole(a)),
    () => known(`2${superscript}`, raised(whole(2), b)),
    () => known(`${b}x${a}`, whole(a * b)),
    () => ({ text: `0x${a.toString(16)}` }),
    () => known(`${b}% of ${grouped}`, over(whole(a * b), whole(100))),
    () => known(`${a} + ${b}%`, over(whole(a * (100 + b)), whole(100))),
    () => known(`${a} / ${b}%`, over(whole(a * 100), whole(b))),
    () => known(`${b}% + ${b}% + ${b}%`, over(whole(3 * b), whole(100))),
    () => known(`${b % 20}!`, whole(product(1, b % 20))),
    () => known(`${a} ** 3`, raised(whole(a), 3)),
    () => known(`sin(${b * 180}°)`, whole(0)),
  ])();
}

function words(chance) {
  const [a, b, c] = [chance.whole(1e4), 1 + chance.whole(99), chance.whole(1e4)];
  return chance.pick([
    () => known(`${b}% off ${a}`, over(whole(a * (100 - b)), whole(100))),
    () => known(`${b} percent of ${a}`, over(whole(a * b), whole(100))),
    () => known(`${a} squared`, whole(a * a)),
    () => known(`the square root of ${a * a}`, whole(a)),
    () => known(`${a} divided by ${b} plus ${c} times 2 minus 1`, plus(over(whole(a), whole(b)), whole(2 * c - 1))),
    () => known(`${a} to the power of 3`, raised(whole(a), 3)),
    () => ({ text: `the sum of ${a}, ${b} and ${c}` }),
    () => ({ text: `half of ${a} plus ${b}` }),
    () => ({ text: `${a} apples and ${b} pears` }),
  ])();
}

function nested(chance) {
  const length = 1 + chance.whole(500);
  const [open, close] = chance.pick([
    ["(", ")"],
    ["sqrt(", ")"],
    ["-", ""],
    ["[", "]"],
    ["{a:", "}"],
    ["1/(1+", ")"],
    ["9^", ""],
    ["", "!"],
    ["√", ""],
    ["half of ", ""],
    ["1 more than ", ""],
    ["1?", ":1"],
    ["3(", ")"],
  ]);
  return { text: open.repeat(length) + chance.pick(["2", "", "0.1"]) + close.repeat(chance.pick([length, length, 0])) };
}

function huge(chance) {
  const power = () => Math.floor(10 ** (chance.number() * 15));
  const operand = () =>
    chance.pick([`${power()}`, `9^${chance.whole(320)}`, `1/7^${chance.whole(300)}`, "1e400", "1e-400"]);
  const [a, b] = [operand(), operand()];
  const each = `${chance.pick(["combinations", "permutations", "gcd", "lcm", "pow", "mod", "log", "nthRoot"])}(${a}, ${b})`;
  const many = `${each}+`.repeat(Math.floor(990 / (each.length + 1)));
  return {
    text: chance.pick([
      each,
      `combinations(${power()}, ${power()})`,
      `permutations(${power()}${power()}, ${power()})`,
      `(${a})^(${b})`,
      `factorial(${a})`,
      `${many}1`,
      `max(${many.replaceAll("+", ",")}1)`,
      `round(${a}, ${b})`,
    ]),
  };
}

const pieces =
  "0 1 9 . , + - * / ^ ! % ( ) [ ] { } = ; : ' \" ` # \\ \n \t e pi x sin( log( √ ² ½ ∞ π ％ １ 𝟏 0x 1e9 of mod".split(
    " ",
  );

function soup(chance) {
  return { text: Array.from({ length: 1 + chance.whole(60) }, () => chance.pick(pieces)).join(chance.pick(["", " "])) };
}

const names =
  "__proto__ constructor prototype toString import evaluate parse compile simplify derivative config createUnit typed process require globalThis Function eval random range ones zeros map filter bignumber unit i Infinity NaN null undefined true end planckConstant".split(
    " ",
  );

function library(chance) {
  const name = chance.pick(names);
  const uses = [
    name,
    `${name}()`,
    `${name}("1")`,
    `(1).${name}`,
    `sqrt["${name}"]`,
    `{${name}:1}.${name}`,
    `${name}(x)=x`,
  ];
  return { text: chance.pick([...uses, `${name}=5`, `5 ${name}`, `${name}(1e9,1e9)`]) };
}
