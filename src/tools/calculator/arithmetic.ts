import type { ConstantNode, FunctionNode, MathNode } from "mathjs";
import { ToolError } from "../../base/errors.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import { compareExact, type Exact, exact, toDouble } from "./exact.js";
import { percentSign, plainExpression } from "./expression-text.js";
import { constants, functionNames, functionsNamed, type NumericFunction } from "./functions.js";
import type { MathsLibrary } from "./maths-library.js";
import {
  type Approximate,
  add,
  approximate,
  divide,
  isExact,
  isZero,
  multiply,
  negate,
  power,
  subtract,
  type Value,
} from "./values.js";

const longestText = 1000;
const deepestNesting = 100;
/** Numbers are worked out from 1e-280 to 1.8e308, where doubles have all their digits. */
const tooLarge = exact(2n ** 1024n);
const smallest = exact(1n, 10n ** 280n);
/** A longer denominator costs time, and tells nothing. Its number goes on in double precision. */
const longestDenominator = 2n ** 512n;

/** The result of an expression, and what it was taken to mean where others mean something else. */
export interface Calculated {
  readonly value: Value;
  readonly conventions: ReadonlySet<string>;
}

/**
 * Works out an arithmetic expression. Mathjs reads it, but only these parts are worked out: numbers, operators, and the
 * calculator's functions and constants. So nothing is ever defined, imported or run. Each part is refused before it
 * takes long: numbers end at 1.8e308, and texts at 1000 characters.
 *
 * @param maths The library, which the caller loads. Loading takes a while, and only a calculation should cost that.
 * @throws {ToolError} "calculation-failed" with a sentence for the model, if there is no finite real value.
 */
export function evaluateArithmetic(text: string, maths: MathsLibrary): Calculated {
  const refuse = (reason: string) => notWorkedOut(text.slice(0, longestText), reason);
  if (text.length > longestText) throw refuse(`it is longer than ${longestText} characters; work it out in parts`);
  const { expression, problem, conventions } = plainExpression(text);
  if (problem !== undefined) throw refuse(problem);
  if (nestingOf(expression) > deepestNesting) {
    throw refuse(`its parentheses are more than ${deepestNesting} deep; work it out in parts`);
  }
  const calculation = new Calculation(maths, refuse);
  const value = calculation.evaluate(parseExpression(expression, maths, refuse));
  return { value, conventions: new Set([...conventions, ...calculation.conventions]) };
}

/** Makes the error for an expression without a value that the calculator can give. */
export function notWorkedOut(text: string, reason: string): ToolError {
  const expression = shorten(inOneLine(text), 100);
  return new ToolError(
    "calculation-failed",
    `Cannot work out "${expression}": ${reason}. Write one arithmetic expression, such as (54-32)*5/9 or sqrt(25).`,
  );
}

/** A node of an operator, as this walk reads it. */
type Operation = MathNode & { readonly fn: string; readonly args: readonly MathNode[] };

type Refuse = (reason: string) => ToolError;

function nestingOf(expression: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of expression) {
    if (character === "(") deepest = Math.max(deepest, ++depth);
    if (character === ")") depth--;
  }
  return deepest;
}

function parseExpression(expression: string, maths: MathsLibrary, refuse: Refuse): MathNode {
  try {
    return maths.parse(expression);
  } catch (error) {
    throw refuse(syntaxReason(expression, error));
  }
}

function syntaxReason(expression: string, error: unknown): string {
  if (expression.includes(",")) return "it has a comma where none can be (the decimal point is written as .)";
  return error instanceof SyntaxError ? `it cannot be read (${textOf(error.message)})` : "it cannot be read";
}

/** A walk over a parsed expression. It refuses every part that is not listed here, whatever mathjs could do with it. */
class Calculation {
  readonly conventions = new Set<string>();

  constructor(
    private readonly maths: MathsLibrary,
    private readonly refuse: Refuse,
  ) {}

  evaluate(node: MathNode): Value {
    const value = this.#valueOf(node);
    return isExact(value) ? this.#bounded(value, node) : this.#finite(value, node);
  }

  #bounded(value: Exact, node: MathNode): Value {
    const size = value.numerator < 0n ? exact(-value.numerator, value.denominator) : value;
    if (compareExact(size, tooLarge) >= 0) throw this.#isTooLarge(node);
    if (!isZero(size) && compareExact(size, smallest) < 0) throw this.#isTooSmall(node);
    return value.denominator > longestDenominator ? approximate(toDouble(value)) : value;
  }

  #finite(result: Approximate, node: MathNode): Value {
    const { value, error } = result;
    if (Number.isNaN(value)) throw this.refuse(`${textOf(node)} has no value among the real numbers`);
    if (!Number.isFinite(value)) throw this.#isTooLarge(node);
    if (value !== 0 && Math.abs(value) < 1e-280) throw this.#isTooSmall(node);
    if (Number.isFinite(error)) return result;
    throw this.refuse(`${textOf(node)} cannot be worked out, because its numbers are rounded`);
  }

  #isTooLarge(node: MathNode): ToolError {
    return this.refuse(`${textOf(node)} is too large to work with (over 1.8e308)`);
  }

  #isTooSmall(node: MathNode): ToolError {
    return this.refuse(`${textOf(node)} is too near to 0 to work with (under 1e-280)`);
  }

  #valueOf(node: MathNode): Value {
    const { maths } = this;
    if (maths.isConstantNode(node)) return this.#constant(node);
    if (maths.isParenthesisNode(node)) return this.evaluate(node.content);
    if (maths.isSymbolNode(node)) return this.#symbol(node.name);
    if (maths.isOperatorNode(node)) return this.#addPercentage(node) ?? this.#operate(node);
    if (maths.isFunctionNode(node)) return this.#call(node);
    throw this.refuse(
      `${textOf(node)} is more than arithmetic; lists, texts, definitions and conditions are not known`,
    );
  }

  /** Takes a number as it is written, to its last digit. Its length is bounded before it is written in full. */
  #constant(node: ConstantNode): Value {
    const { value } = node;
    if (!this.maths.isBigNumber(value)) throw this.refuse(`${textOf(node)} has no value among the real numbers`);
    if (value.e > 308) throw this.#isTooLarge(node);
    if (!value.isZero() && value.e < -280) throw this.#isTooSmall(node);
    const [whole = "", decimals = ""] = value.toFixed().split(".");
    return exact(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  }

  #symbol(name: string): Value {
    const value = constants.get(name) ?? constants.get(name.toLowerCase());
    if (value !== undefined) return value;
    throw this.refuse(
      `"${name}" is not a number; leave words and units out (known by name are ${[...constants.keys()].join(", ")})`,
    );
  }

  /** Adds a percentage to a number, or takes it away: `150 + 10%` is 165. Two percentages are added as numbers. */
  #addPercentage({ fn, args: [left, right] }: Operation): Value | undefined {
    if ((fn !== "add" && fn !== "subtract") || !left || !right) return undefined;
    if (!this.#isPercentage(right) || this.#isPercentage(left)) return undefined;
    const part = this.evaluate(right);
    const one = exact(1n);
    return multiply(this.evaluate(left), fn === "add" ? add(one, part) : subtract(one, part));
  }

  #isPercentage(node: MathNode): boolean {
    if (this.maths.isParenthesisNode(node)) return this.#isPercentage(node.content);
    if (!this.maths.isOperatorNode(node)) return false;
    const fn: string = node.fn;
    if (fn === "ctranspose") return true;
    return keepsPercentage.has(fn) && node.args.every((operand: MathNode) => this.#isPercentage(operand));
  }

  #operate(node: Operation): Value {
    const [left, right] = node.args.map((operand: MathNode) => this.evaluate(operand));
    const value = left && (right ? this.#operateOnTwo(left, right, node) : this.#operateOnOne(left, node));
    if (value !== undefined) return value;
    throw this.refuse(`${textOf(node)} has an operator that is not one of + - * / ^ % !`);
  }

  #operateOnOne(operand: Value, { fn, args }: Operation): Value | undefined {
    if (fn === "unaryMinus") return negate(operand);
    if (fn === "unaryPlus") return operand;
    if (fn === "ctranspose") return divide(operand, exact(100n));
    if (fn !== "factorial") return undefined;
    const [inner] = args;
    if (inner && this.maths.isOperatorNode(inner) && inner.fn === "factorial") {
      throw this.refuse("!! has two meanings; write (5!)! or 5*3*1");
    }
    return this.#apply("factorial", [operand]);
  }

  #operateOnTwo(left: Value, right: Value, node: Operation): Value | undefined {
    const dividesBy = node.fn === "divide" || node.fn === "mod" ? right : undefined;
    const isReciprocal = node.fn === "pow" && isZero(left) && isExact(right) && right.numerator < 0n;
    if (isReciprocal || (dividesBy && isZero(dividesBy))) throw this.refuse(`${textOf(node)} divides by zero`);
    if (node.fn === "add") return add(left, right);
    if (node.fn === "subtract") return subtract(left, right);
    if (node.fn === "multiply") return multiply(left, right);
    if (node.fn === "divide") return divide(left, right);
    if (node.fn === "mod") return this.#apply("mod", [left, right]);
    return node.fn === "pow" ? power(left, right) : undefined;
  }

  #call({ fn, args }: FunctionNode): Value {
    const name = this.maths.isSymbolNode(fn) ? fn.name : "";
    return this.#apply(
      name,
      args.map((argument) => this.evaluate(argument)),
    );
  }

  #apply(name: string, values: readonly Value[]): Value {
    const named = functionsNamed(name);
    if (named.length === 0) throw this.refuse(`there is no function "${name}", only ${functionNames.join(", ")}`);
    const known = named.find(({ least, most }) => values.length >= least && values.length <= most);
    if (known === undefined) throw this.refuse(`${name} takes ${argumentRange(named)}, not ${values.length}`);
    const result = known.call(...values);
    if (result === undefined) throw this.refuse(`${known.name} cannot be worked out for these numbers: ${known.takes}`);
    if (known.convention !== undefined) this.conventions.add(known.convention);
    return result;
  }
}

const keepsPercentage = new Set(["add", "subtract", "unaryMinus", "unaryPlus"]);

function argumentRange(named: readonly NumericFunction[]): string {
  const least = Math.min(...named.map((known) => known.least));
  const most = Math.max(...named.map((known) => known.most));
  const range = least === most ? String(least) : `${least} to ${most}`;
  return `${range} ${range === "1" ? "number" : "numbers"}`;
}

function textOf(part: MathNode | string): string {
  return shorten(inOneLine(part.toString().replaceAll(percentSign, "%")), 60);
}
