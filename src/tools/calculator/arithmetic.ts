import type { MathNode } from "mathjs";
import { CalculationError } from "../../base/errors.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import { percentSign, plainExpression } from "./expression-text.js";
import { apply, constants, functions } from "./functions.js";
import { maths, ofDecimal, ofNumber, Refusal, type Value, work, writeNumber } from "./numbers.js";

const longestText = 1000;
const deepestNesting = 100;

/**
 * Works out an arithmetic expression. Mathjs reads it, but only these parts are worked out: numbers, operators, and the
 * calculator's functions and constants. So nothing is ever defined, imported or run. Each part is refused before it
 * takes long: numbers end at 1.8e308, and texts at 1000 characters.
 *
 * @returns The number in digits, with notes in parentheses.
 * @throws {CalculationError} with a sentence for the model, if there is no finite real value.
 */
export function calculate(text: string): string {
  try {
    const tree = parse(text);
    const [digits, ...notes] = writeNumber(evaluate(tree));
    const all = new Set([...notes, ...tree.filter(() => true).flatMap(conventionsOf)]);
    return all.size === 0 ? digits : `${digits} (${[...all].join("; ")})`;
  } catch (error) {
    throw error instanceof Refusal ? new CalculationError(inOneLine(text.slice(0, longestText)), error.message) : error;
  }
}

function parse(text: string): MathNode {
  if (text.length > longestText) throw new Refusal(`it is longer than ${longestText} characters; work it out in parts`);
  const expression = plainExpression(text);
  let depth = 0;
  for (const character of expression) {
    depth += Number(character === "(") - Number(character === ")");
    if (depth > deepestNesting) throw new Refusal(`its parentheses are more than ${deepestNesting} deep`);
  }
  try {
    return maths.parse(expression);
  } catch (error) {
    if (expression.includes(","))
      throw new Refusal("it has a comma where none can be (the decimal point is written as .)");
    throw new Refusal(`it cannot be read${error instanceof SyntaxError ? ` (${textOf(error.message)})` : ""}`);
  }
}

function evaluate(node: MathNode): Value {
  const value = resultOf(node);
  const { double, error, decimal } = value;
  if (Number.isNaN(double)) throw new Refusal(`${textOf(node)} has no value among the real numbers`);
  if (!Number.isFinite(double)) throw new Refusal(`${textOf(node)} is too large to work with (over 1.8e308)`);
  if (!Number.isFinite(error))
    throw new Refusal(`${textOf(node)} cannot be worked out, because its numbers are rounded`);
  if (decimal !== undefined || Math.max(Math.abs(double), error) > 1e-280) return value;
  throw new Refusal(`${textOf(node)} is too near to 0 to work with (under 1e-280)`);
}

/** Refuses each part that is not listed here, whatever mathjs could do with it. */
function resultOf(node: MathNode): Value {
  if (maths.isConstantNode(node) && maths.isBigNumber(node.value)) return ofDecimal(node.value);
  if (maths.isParenthesisNode(node)) return evaluate(node.content);
  if (maths.isOperatorNode(node) && functions.has(node.fn)) return withPercentage(node) ?? workOut(node.fn, node);
  if (maths.isFunctionNode(node) && maths.isSymbolNode(node.fn)) return workOut(node.fn.name, node);
  const constant = maths.isSymbolNode(node) ? constants.get(node.name) : undefined;
  if (constant !== undefined) return constant;
  if (maths.isSymbolNode(node)) throw new Refusal(`"${node.name}" is not a number; leave words and units out`);
  throw new Refusal(`${textOf(node)} is more than arithmetic with + - * / ^ % ! and functions`);
}

/** Adds a percentage to a number, or takes it away: `150 + 10%` is 165. Two percentages are added as numbers. */
function withPercentage({ fn, args: [left, right] }: Operation): Value | undefined {
  const isChange = fn === "add" || fn === "subtract";
  if (!isChange || !left || !right || !isPercentage(right) || isPercentage(left)) return undefined;
  return work("multiply", evaluate(left), work(fn, ofNumber(1), evaluate(right)));
}

function isPercentage(node: MathNode): boolean {
  if (maths.isParenthesisNode(node)) return isPercentage(node.content);
  if (!maths.isOperatorNode(node)) return false;
  const { fn, args }: Operation = node;
  return fn === "ctranspose" || (/^(?:add|subtract|unary)/.test(fn) && args.every(isPercentage));
}

/** An operator or a function, as it is read here. */
type Operation = MathNode & { readonly fn: string; readonly args: readonly MathNode[] };

function workOut(name: string, node: MathNode & { readonly args: readonly MathNode[] }): Value {
  if (!functions.has(name)) throw new Refusal(`there is no function "${name}", only ${[...functions].join(", ")}`);
  const values = node.args.map(evaluate);
  try {
    return apply(name, ...values);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(`${textOf(node)} ${error.message}`) : error;
  }
}

/** What the name of a function means here, and something else elsewhere. */
function conventionsOf(node: MathNode): string[] {
  if (!maths.isFunctionNode(node)) return [];
  const { name } = node.fn;
  if (/^a?(?:sin|cos|tan)2?$/.test(name) && !/\bpi\b/.test(node.toString())) return ["angles are in radians"];
  const isNatural = name === "log" && node.args.length === 1;
  return isNatural ? ["log is the natural logarithm, with base e; log10 has base 10"] : [];
}

function textOf(part: MathNode | string): string {
  return shorten(inOneLine(part.toString().replaceAll(percentSign, "%")), 60);
}
