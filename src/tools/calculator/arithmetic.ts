import type { ConstantNode, FunctionNode, MathNode } from "mathjs";
import { CalculationError } from "../../base/errors.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import { constants, numericFunctions, operators, type Value } from "./arithmetic-operations.js";
import { plainExpression } from "./expression-text.js";
import type { MathsLibrary } from "./maths-library.js";

const longestText = 1000;
const deepestNesting = 100;

/**
 * Works out an arithmetic expression. Mathjs reads it, but only these parts are worked out: numbers, operators, and the
 * calculator's functions and constants. So nothing is ever defined, imported or run.
 *
 * @param maths The library, which the caller loads. Loading takes a while, and only a calculation should cost that.
 * @throws {CalculationError} with a sentence for the model, if there is no finite real value.
 */
export function evaluateArithmetic(text: string, maths: MathsLibrary): Value {
  if (text.length > longestText) {
    throw new CalculationError(text, `it is longer than ${longestText} characters; work it out in parts`);
  }
  const expression = plainExpression(text);
  const refuse = (reason: string) => new CalculationError(expression, reason);
  if (nestingOf(expression) > deepestNesting) {
    throw refuse(`its parentheses are more than ${deepestNesting} deep; work it out in parts`);
  }
  return new Calculation(maths, refuse).evaluate(parseExpression(expression, maths, refuse));
}

interface BinaryOperator {
  readonly fn: string;
  readonly args: readonly MathNode[];
}

type Refuse = (reason: string) => CalculationError;

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
  if (expression === "") throw refuse("it is empty");
  try {
    return maths.parse(expression);
  } catch (error) {
    throw refuse(syntaxReason(expression, error));
  }
}

function syntaxReason(expression: string, error: unknown): string {
  if (expression.includes(",")) return "it has a comma where none can be (the decimal point is written as .)";
  if (expression.includes("=")) return "it is an equation, not only what is to be worked out";
  return error instanceof SyntaxError ? `it cannot be read (${textOf(error.message)})` : "it cannot be read";
}

/** A walk over a parsed expression. It refuses every part that is not listed here, whatever mathjs could do with it. */
class Calculation {
  readonly #functions;

  constructor(
    private readonly maths: MathsLibrary,
    private readonly refuse: Refuse,
  ) {
    this.#functions = numericFunctions(maths);
  }

  evaluate(node: MathNode): Value {
    const value = this.#valueOf(node);
    if (Number.isNaN(value)) throw this.refuse(`${textOf(node)} has no value among the real numbers`);
    if (!Number.isFinite(Number(value))) throw this.refuse(`${textOf(node)} is too large to work with (over 1.8e308)`);
    return Number.isSafeInteger(value) ? BigInt(value) : value;
  }

  #valueOf(node: MathNode): Value {
    const { maths } = this;
    if (maths.isConstantNode(node)) return this.#constant(node);
    if (maths.isParenthesisNode(node)) return this.evaluate(node.content);
    if (maths.isSymbolNode(node)) return this.#symbol(node.name);
    if (maths.isOperatorNode(node)) return this.#percentage(node) ?? this.#operate(node.fn, node.args, node);
    if (maths.isFunctionNode(node)) return this.#call(node);
    throw this.refuse(
      `${textOf(node)} is more than arithmetic; lists, texts, definitions and conditions are not known`,
    );
  }

  #constant({ value }: ConstantNode): Value {
    if (typeof value === "number" || typeof value === "bigint") return value;
    throw this.refuse(`${JSON.stringify(value) ?? "nothing"} is not a number`);
  }

  #symbol(name: string): Value {
    const value = constants.get(name) ?? constants.get(name.toLowerCase());
    if (value !== undefined) return value;
    throw this.refuse(
      `"${name}" is not a number; leave words and units out (known by name are ${[...constants.keys()].join(", ")})`,
    );
  }

  /** Works out a percentage. Examples: `20 percent` is 0.2, and `150 + 10 percent` adds 10 percent of 150. */
  #percentage({ fn, args: [left, right] }: BinaryOperator): Value | undefined {
    if (!left || !right) return undefined;
    if (fn === "multiply" && this.#isPercent(right)) return Number(this.evaluate(left)) / 100;
    if ((fn !== "add" && fn !== "subtract") || !this.#isPercentage(right) || this.#isPercentage(left)) return undefined;
    const part = Number(this.evaluate(right));
    return Number(this.evaluate(left)) * (fn === "add" ? 1 + part : 1 - part);
  }

  #isPercent(node: MathNode): boolean {
    return this.maths.isSymbolNode(node) && node.name === "percent";
  }

  #isPercentage(node: MathNode): boolean {
    return this.maths.isOperatorNode(node) && node.args.some((operand) => this.#isPercent(operand));
  }

  #operate(operator: string, operands: readonly MathNode[], node: MathNode): Value {
    const [left, right] = operands.map((operand) => this.evaluate(operand));
    if (left === undefined) throw this.refuse(`${textOf(node)} has no operand`);
    if (right === undefined) return this.#operateOnOne(operator, left, node);
    const operate = operators.get(operator);
    if (!operate) throw this.refuse(`${textOf(node)} has an operator that is not one of + - * / ^ % !`);
    if ((operator === "divide" || operator === "mod") && Number(right) === 0) {
      throw this.refuse(`${textOf(node)} divides by zero`);
    }
    return operate(left, right);
  }

  #operateOnOne(operator: string, operand: Value, node: MathNode): Value {
    if (operator === "unaryMinus") return -operand;
    if (operator === "unaryPlus") return operand;
    if (operator === "factorial") return this.#factorial(operand);
    throw this.refuse(`${textOf(node)} has an operator that is not one of + - * / ^ % !`);
  }

  #factorial(operand: Value): Value {
    if (typeof operand !== "bigint" || operand < 0n || operand > 170n) {
      throw this.refuse("a factorial is worked out for whole numbers from 0 to 170");
    }
    let product = 1n;
    for (let factor = 2n; factor <= operand; factor++) product *= factor;
    return product;
  }

  #call({ fn, args }: FunctionNode): Value {
    const name = this.maths.isSymbolNode(fn) ? fn.name : "";
    const values = args.map((argument) => this.evaluate(argument));
    if (name === "factorial" && values[0] !== undefined) return this.#factorial(values[0]);
    const known = this.#functions.get(name) ?? this.#functions.get(name.toLowerCase());
    if (!known) throw this.refuse(`there is no function "${name}", only ${[...this.#functions.keys()].join(", ")}`);
    const { least, most } = known;
    if (values.length < least || values.length > most) {
      const range = least === most ? String(least) : `${least} to ${most}`;
      throw this.refuse(`${name} takes ${range} ${range === "1" ? "number" : "numbers"}, not ${values.length}`);
    }
    return this.#numberFrom(name, () => known.call(...values.map(Number)));
  }

  #numberFrom(name: string, call: () => unknown): number {
    try {
      return Number(call());
    } catch {
      throw this.refuse(`${name} cannot be worked out for these numbers`);
    }
  }
}

function textOf(part: MathNode | string): string {
  return shorten(inOneLine(part.toString()), 60);
}
