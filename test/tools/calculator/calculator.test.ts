import { describe, expect, it } from "vitest";
import { CalculationError } from "../../../src/base/errors.js";
import { calculator } from "../../../src/tools/calculator/calculator.js";

const calculate = (expression: string) => calculator().invoke({ expression });

async function refusalOf(expression: string): Promise<CalculationError> {
  const error = await calculate(expression).catch((reason: unknown) => reason);
  if (error instanceof CalculationError) return error;
  throw new Error(`${expression} was not refused but gave ${String(error)}.`);
}

describe("calculator", () => {
  it("is named and described in a line for models", () => {
    expect(calculator().name).toBe("calculator");
    expect(calculator().description).not.toContain("\n");
  });

  it.each([
    ["25^(1/2)", "5"],
    ["(54-32)*5/9", "12.222222222222221"],
    ["4**2.1", "18.37917367995256"],
    ["sqrt(3.05)", "1.746424919657298"],
    ["-2^2", "-4"],
    ["2^-1", "0.5"],
    ["2^3^2", "512"],
    ["2(3+4)", "14"],
    ["2 pi", "6.283185307179586"],
    ["-7 mod 3", "2"],
    ["10%3", "1"],
    ["7 % -2", "-1"],
    ["5!", "120"],
    ["sqrt(25)!", "120"],
    ["0^0", "1"],
    ["round(2.345, 2)", "2.35"],
    ["log(8, 2)", "3"],
    ["log10(1,000)", "3"],
    ["ln(e)", "1"],
    ["sin(pi)", "0"],
    ["cbrt(-8)", "-2"],
    ["gcd(12, 18) + lcm(4, 6)", "18"],
    ["combinations(5, 2)", "10"],
    ["MAX(1, Pi)", "3.141592653589793"],
  ])("works out %s", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["1,234.5", "1234.5"],
    ["1,000,000 + 1", "1000001"],
    ["max(100,200)", "200"],
    ["max(1,000, 2)", "1000"],
    ["round(1,234.567, 1)", "1234.6"],
    ["$1,234.50 * 2", "2469"],
    ["1_000*2", "2000"],
    ["√25", "5"],
    ["√(9+16)", "5"],
    ["2×3÷4−1", "0.5"],
    ["５＋（３＊２）", "11"],
    ["5²", "25"],
    ["3 x 4", "12"],
    ["0x10", "16"],
    ["2 + 2 =", "4"],
    ["2 + 2.", "4"],
    ['"2 + 2"', "4"],
    ["what is 2+2?", "4"],
    ["What is the square root of 25?", "5"],
    ["12 divided by 3 plus 1", "5"],
  ])("reads %s as people write it", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["20% of 150", "30"],
    ["20 percent of 150", "30"],
    ["what is 20% of $1,234?", "246.8"],
    ["150 + 10%", "165"],
    ["150 - 10% + 5", "140"],
    ["100 - 5% - 2", "93"],
    ["8% + 3%", "0.11"],
    ["100 * (1 + 5%)", "105"],
    ["(5+3)% of 50", "4"],
    ["35%", "0.35"],
  ])("takes %s for a percentage", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["0.1 + 0.2", "0.3"],
    ["1.1 * 3", "3.3"],
    ["1e-7", "0.0000001"],
    ["123456789 * 987654321", "121932631112635269"],
    ["2^100", "1267650600228229401496703205376"],
    ["25!", "15511210043330985984000000"],
    ["123456789012345678901234567890 + 1", "123456789012345678901234567891"],
    ["1e20 + 0.5", "100000000000000000000"],
  ])("prints %s in plain digits", async (expression, result) => {
    expect(await calculate(expression)).toBe(result);
  });

  it.each([
    ["", "it is empty"],
    ["2 +", "it cannot be read"],
    ["(1 + 2", "it cannot be read"],
    ["1 2", "it cannot be read"],
    ["temperature of Paris", '"temperature" is not a number'],
    ["2x + 3", '"x" is not a number; leave words and units out'],
    ["3.13 seconds * 2", '"seconds" is not a number'],
    ["x + 3 = 7", "it is an equation"],
    ["1,23 + 1", "it has a comma where none can be"],
    ["1.234,5", "it has a comma where none can be"],
    ["foo(2)", 'there is no function "foo", only abs, sqrt'],
    ["sqrt(1, 2)", "sqrt takes 1 number, not 2"],
    ["gcd(1.5, 2)", "gcd cannot be worked out for these numbers"],
    ["1/0", "1 / 0 divides by zero"],
    ["5/(1/0)", "1 / 0 divides by zero"],
    ["10 / (5-5)", "10 / (5 - 5) divides by zero"],
    ["5 mod 0", "divides by zero"],
    ["sqrt(-1)", "sqrt(-1) has no value among the real numbers"],
    ["(-8)^(1/3)", "has no value among the real numbers"],
    ["9^9^9^9", "is too large to work with"],
    ["1e400", "is too large to work with"],
    ["exp(1000)", "is too large to work with"],
    ["factorial(1e9)", "a factorial is worked out for whole numbers from 0 to 170"],
    ["1e9!", "a factorial is worked out for whole numbers from 0 to 170"],
    ["NaN", "has no value among the real numbers"],
  ])("refuses %s with a sentence", async (expression, reason) => {
    const error = await refusalOf(expression);
    expect(error.reason).toContain(reason);
    expect(error.message).toMatch(/^Cannot work out ".*": .* Write one arithmetic expression, such as/);
  });

  it.each([
    "a = 1",
    "f(x) = x",
    "import('fs')",
    "evaluate('1')",
    "parse(1)",
    "createUnit(5)",
    "config(1)",
    "cos.constructor(1)",
    "constructor",
    "__proto__",
    "toString()",
    "'text'",
    "[1, 2]",
    "1:5",
    "{a: 1}",
    "a.b",
    "1 == 1",
    "1 ? 2 : 3",
    "1; 2",
    "not 1",
    "true",
    "random()",
    "zeros(1e9)",
    "range(1, 1e9)",
  ])("runs nothing but arithmetic: %s", async (expression) => {
    expect((await refusalOf(expression)).message).not.toMatch(/\n\s+at |NaN/);
  });

  it.each([
    ["a long text", "1+".repeat(1_000_000)],
    ["deep parentheses", `${"(".repeat(300)}1${")".repeat(300)}`],
    ["a tower of powers", `${"9^".repeat(400)}9`],
    ["a row of factorials", `9${"!".repeat(900)}`],
    ["a row of roots", `${"√".repeat(900)}4`],
    ["nothing but spaces", " ".repeat(1_000_000)],
    ["a row of question marks", `${"?".repeat(990)}1`],
  ])("refuses %s at once", async (_, expression) => {
    await calculate("1");
    const start = performance.now();
    const error = await refusalOf(expression);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(error.message.length).toBeLessThan(500);
  });
});
