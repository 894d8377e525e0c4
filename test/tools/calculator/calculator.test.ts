import { describe, expect, it } from "vitest";
import { ToolError } from "../../../src/base/errors.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";

const tooLong = " (rounded to 15 digits, as a number on the way is too long to be exact)";

const calculate = (expression: string) => calculator().invoke({ expression });

async function refusalOf(expression: string): Promise<ToolError> {
  const error = await calculate(expression).catch((reason: unknown) => reason);
  if (error instanceof ToolError && error.code === "calculation-failed") return error;
  throw new Error(`${expression} was not refused but gave ${String(error)}.`);
}

describe("calculator", () => {
  it("has a name and a one-line description for models", () => {
    expect(calculator().name).toBe("calculator");
    expect(calculator().description).not.toContain("\n");
  });

  it.each([
    ["25^(1/2)", "5"],
    ["(54-32)*5/9", "12.2222222222222"],
    ["4**2.1", "18.3791736799526"],
    ["2^-1", "0.5"],
    ["2^3^2", "512"],
    ["2 pi", "6.28318530717959"],
    ["-7 mod 3", "2"],
    ["7 % -2", "-1"],
    ["sqrt(25)!", "120"],
    ["0^0", "1"],
    ["round(2.345, 2)", "2.35"],
    ["log(8, 2)", "3"],
    ["ln(e)", "1"],
    ["log(1/8, 2)", "-3"],
    ["nthRoot(-32, 5)", "-2"],
    ["mean(1, 2, 4)", "2.33333333333333"],
    ["median(3, 1/3, 2, 7)", "2.5"],
    ["abs(-1/4) + sign(-3) + fix(-2.5) + ceil(-0.5) + floor(-0.5)", "-3.75"],
    ["product(2, 3, 7)", "42"],
    ["mod(-7.5, 2)", "0.5"],
    ["square(1.5) + cube(-0.5)", "2.125"],
    ["0.25^-0.5", "2"],
    ["+5 - -3", "8"],
    ["permutations(5, 2) - perm(2, 5) - comb(2, 5)", "20"],
    ["cbrt(-8)", "-2"],
    ["gcd(12, 18) + lcm(4, 6)", "18"],
    ["combinations(5, 2)", "10"],
    ["MAX(1, Pi)", "3.14159265358979"],
  ])("calculates %s", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["max(100,200)", "200"],
    ["max(1,000, 2)", "1000"],
    ["round(1,234.567, 1)", "1234.6"],
    ["$1,234.50 * 2", "2469"],
    ["1_000*2", "2000"],
    ["√(9+16)", "5"],
    ["2×3÷4−1", "0.5"],
    ["５＋（３＊２）", "11"],
    ["5²", "25"],
    ["3 x 4", "12"],
    ["10x10", "100"],
    ["2²³", "8388608"],
    ["2⁻²", "0.25"],
    ["math.sqrt(16)", "4"],
    ["10元 x 1.15 =", "11.5"],
    ["20% off of $1,250", "1000"],
    ["2 cubed", "8"],
    ["2 to the power of 10", "1024"],
    ["1/3 of 6", "2"],
    ["(1/2) of 9", "4.5"],
    ["5^.5", "2.23606797749979"],
    ["log₂(8)", "3"],
    ["2 + 2.", "4"],
    ['"2 + 2"', "4"],
    ["what is 2+2?", "4"],
    ["What is the square root of 25?", "5"],
    ["12 divided by 3 plus 1", "5"],
  ])("reads %s in the usual notation", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["20% of 150", "30"],
    ["what is 20% of $1,234?", "246.8"],
    ["150 + 10%", "165"],
    ["150 - 10% + 5", "140"],
    ["8% + 3%", "0.11"],
    ["100 * (1 + 5%)", "105"],
    ["35%", "0.35"],
    ["100 + (5% + 3%)", "108"],
    ["100 - -10%", "110"],
    ["100/5%", "2000"],
  ])("reads %s as a percentage", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["0.1 + 0.2", "0.3"],
    ["1e-7", "0.0000001"],
    ["2^100", `1.26765060022823e+30${tooLong}`],
    ["123456789012345678901234567890 + 1", `1.23456789012346e+29${tooLong}`],
    ["1e-20 / 8", "1.25e-21"],
  ])("prints %s in plain digits", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each(["half of 9 + 1", "sum of 100,200", "15% tip on 80", "6 thirds", "5 of 5", "$1.5 million", "5 choose 2"])(
    "refuses the ambiguous %s",
    async (phrase) => {
      expect((await refusalOf(phrase)).message).toContain("is not a number; leave words and units out");
    },
  );

  it.each(["max(1,000,2,000)", "max(1,234, 5)", "sum(1, 2,345)", "min(7,005)+max(7,005,2)"])(
    "refuses the ambiguous comma in %s",
    async (expression) => {
      expect((await refusalOf(expression)).message).toContain("may group digits or separate numbers");
    },
  );

  it.each([
    ["gcd(9007199254740991, 69431)", "69431"],
    ["lcm(3002399751580330, 3)", "9007199254740990"],
    ["round(9007199254740991)", "9007199254740991"],
    ["mod(9007199254740991, 2)", "1"],
    ["9007199254740991 * 1.0", "9007199254740991"],
    ["3^33", "5559060566555523"],
    ["floor(999999999999999 / 10^15)", "0"],
    ["round(7.035 / 3, 2)", "2.35"],
    ["floor(0.1 * 3 * 10)", "3"],
    ["floor(log10(1000))", "3"],
    ["round(-1.005, 2)", "-1.01"],
    ["round(-2.5)", "-3"],
    ["round(1234.5678, -2)", "1200"],
    ["ceil(1.1 * 30)", "33"],
    ["5.5 mod 0.1", "0"],
    ["(99828306087083) mod (91542.121793)", "53876.206247"],
    ["1.1 - 1 - 0.1", "0"],
    ["sum(1.1, -1, -0.1)", "0"],
    ["1e-200 + 1e-200", "2e-200"],
    ["combinations(56, 26)", "6646448384109072"],
    ["permutations(17, 13)", "14820309504000"],
    ["(-1)^1000000001", "-1"],
    ["0.1^20", "1e-20"],
  ])("calculates %s exactly", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["sqrt(10^40 + 1)", `1e+20${tooLong}`],
    ["10^17 / 7", `1.42857142857143e+16${tooLong}`],
    ["combinations(1000, 500)", `2.70288240945437e+299${tooLong}`],
    ["1234567890123456.5 / 7 * 7", `1.23456789012346e+15${tooLong}`],
    ["log(8, 4)", "1.5"],
    ["ln(10) - ln(2) - ln(5)", "0"],
    ["nthRoot(2 * 10^300, 7)", `7.94597404701848e+42${tooLong}`],
    ["sqrt(2)^2 - 2", "0"],
    ["(pi + 10^8 - 10^8) * 1", "3.141593"],
    ["pi * 0", "0"],
    ["floor(sqrt(2) * 10)", "14"],
    ["round(-sqrt(2), 3)", "-1.414"],
    ["floor(pi)! + gcd(round(pi), 6)", "9"],
    ["max(pi, 22/7)", "3.14285714285714"],
    ["0.12345678901234567", `0.123456789012346${tooLong}`],
    ["10^16 + pi - 10^16", `4${tooLong}`],
    ["2^53 - 2^53", `0${tooLong}`],
    ["floor(sqrt(2)^2)", "2"],
  ])("shows 15 digits of %s, and notes an inexact intermediate result", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["sin(pi)", "0"],
    ["sin(30)", "-0.988031624092862 (angles are in radians)"],
    ["sin(30°)", "0.5"],
    ["cos(120 degrees)", "-0.5"],
    ["tan(-405 deg)", "-1"],
    ["atan2(1, 1)", "0.785398163397448 (angles are in radians)"],
    ["log(100)", "4.60517018598809 (log is the natural logarithm, with base e; log10 has base 10)"],
    ["log(100, 10)", "2"],
  ])("notes the convention for %s", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["", "it is empty"],
    ["2 +", "it cannot be read"],
    ["temperature of Paris", '"temperature" is not a number'],
    ["2x + 3", '"x" is not a number; leave words and units out'],
    ["x + 3 = 7", "= makes it an equation"],
    ["1,23 + 1", "it has a comma where none can be"],
    ["foo(2)", 'there is no function "foo", only abs, sqrt'],
    ["sqrt(1, 2)", "sqrt(1, 2) has 2 numbers, and needs 1"],
    ["gcd(1.5, 2)", "needs whole numbers from 0 to 2^53"],
    ["1/0", "1 / 0 divides by zero"],
    ["5 mod 0", "divides by zero"],
    ["0^-1", "divides by zero"],
    ["tan(90°)", "divides by zero"],
    ["1 / (sqrt(2)^2 - 2)", "divides by zero"],
    ["round(2, 0.5)", "needs a whole number of decimals from -15 to 15"],
    ["nthRoot(2, 0)", "divides by zero"],
    ["ln(0)", "has no value among the real numbers"],
    ["log(1/2, 1)", "divides by zero"],
    ["log(8, 2, 2)", "has 3 numbers, and needs from 1 to 2"],
    ["mod(5)", "has 1 numbers, and needs 2"],
    ["1e-301", "is too near to 0 to work with"],
    ["unaryMinus(5)", 'there is no function "unaryminus"'],
    ["exp(-800)", "is too near to 0 to work with"],
    ["1 / (exp(pi) - exp(pi))", "divides by zero"],
    ["5!!", "!! has two meanings"],
    ["combinations(-1, 2)", "needs whole numbers from 0 to 2^53"],
    ["0xFFi8", "0xffi8 is not a decimal number"],
    ["20 degrees", '"degrees" is not a number'],
    ["|3 - 5|", "| is more than arithmetic"],
    ["1 and 2", "is more than arithmetic with + - * / ^ % ! and functions"],
    ["sqrt(-1)", "sqrt(-1) has no value among the real numbers"],
    ["exp(1000)", "is too large to work with"],
    ["1e9!", "is too large to work with"],
    ["NaN", '"nan" is not a number'],
    ["0.5!", "needs whole numbers from 0 to 2^53"],
    ["sum()", "has 0 numbers, and needs from 1"],
    ["1e-200 * 1e-200", "is too near to 0"],
    ["10^30 mod 7", "needs numbers up to 2^53"],
    ["mod(10^17 / 7, 1)", "needs numbers up to 2^53"],
    ["asin(2)", "has no value among the real numbers"],
  ])("refuses %s with a reason", async (expression, reason) => {
    const error = await refusalOf(expression);
    expect(error.message).toContain(reason);
    expect(error.message).toMatch(/^Cannot work out ".*": .* Write one arithmetic expression, such as/);
  });

  it.each([
    "a = 1",
    "import('fs')",
    "cos.constructor(1)",
    "__proto__",
    "'text'",
    "[1, 2]",
    "{a: 1}",
    "1 ? 2 : 3",
    "not 1",
    "true",
    "random()",
  ])("evaluates only arithmetic: %s", async (expression) => {
    expect((await refusalOf(expression)).message).not.toMatch(/\n\s+at |NaN/);
  });

  it.each(["combinations(1e15, 5e14)", "permutations(307084756412608, 124)", "1e999999999", "product(2^1000, 2^1000)"])(
    "refuses %s as too large, before it works it out",
    async (expression) => {
      expect((await refusalOf(expression)).message).toContain("is too large to work with (over 1.8e308)");
    },
  );

  it.each([
    ["a long text", "1+".repeat(1_000_000), "it is longer than 1000 characters"],
    ["deep parentheses", `${"(".repeat(300)}1${")".repeat(300)}`, "it has more than 100 parentheses"],
    ["a tower of powers", `${"9^".repeat(400)}9`, "is too large to work with"],
    ["a row of roots", `${"√".repeat(900)}4`, "√ is more than arithmetic"],
  ])("refuses %s in a few words", async (_, expression, reason) => {
    const { message } = await refusalOf(expression);
    expect(message).toContain(reason);
    expect(message.length).toBeLessThan(500);
  });
});
