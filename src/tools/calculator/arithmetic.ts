import type { BigNumber, MathNode } from "mathjs";
import { ToolError } from "../../base/errors.js";
import { inOneLine, shorten } from "../../base/shorten.js";
import { percentSign, plainExpression } from "./expression-text.js";
import { constants, functions, maths, operators, Refusal } from "./functions.js";

const longestText = 1000;
const tooLong = "rounded to 15 digits, as a number on the way is too long to be exact";

/**
 * Works out an arithmetic expression. Mathjs reads it, but only these parts are worked out: numbers, operators, and the
 * calculator's functions and constants. Nothing is ever defined, imported or run. A part that would take long is refused
 * first: numbers end at 1.8e308, and texts at 1000 characters.
 *
 * @returns The number in digits, with notes in parentheses.
 * @throws {ToolError} "calculation-failed", with a sentence for the model, if there is no finite real value.
 */
export function calculate(text: string): string {
  try {
    const notes = new Set<string>();
    const value = evaluate(parse(text), notes);
    const precision = Number.isSafeInteger(value) && !notes.has(tooLong) ? 16 : 15;
    const digits = maths.format(value, { precision, lowerExp: -15, upperExp: precision });
    return notes.size === 0 ? digits : `${digits} (${[...notes].join("; ")})`;
  } catch (error) {
    throw error instanceof Refusal ? notWorkedOut(text.slice(0, longestText), error.message) : error;
  }
}

function notWorkedOut(text: string, reason: string): ToolError {
  const expression = shorten(inOneLine(text), 100);
  return new ToolError(
    "calculation-failed",
    `Cannot work out "${expression}": ${reason}. Write one arithmetic expression, such as (54-32)*5/9 or sqrt(25).`,
  );
}

function parse(text: string): MathNode {
  if (text.length > longestText) throw new Refusal(`it is longer than ${longestText} characters; work it out in parts`);
  const expression = plainExpression(text);
  if (expression.split("(").length > 101) throw new Refusal("it has more than 100 parentheses; work it out in parts");
  try {
    return maths.parse(expression);
  } catch (error) {
    if (expression.includes(",")) throw new Refusal("it has a comma where none can be (the decimal point is .)");
    throw new Refusal(`it cannot be read${error instanceof SyntaxError ? ` (${textOf(error.message)})` : ""}`);
  }
}

/** An operator or a function, as it is read here. */
type Operation = MathNode & { readonly args: readonly MathNode[] };

/** Works out a part, and notes what a reader of its number should know. It refuses each part that is not listed here. */
function evaluate(node: MathNode, notes: Set<string>): number {
  if (maths.isParenthesisNode(node)) return evaluate(node.content, notes);
  if (maths.isConstantNode(node) && maths.isBigNumber(node.value)) return written(node.value, notes);
  if (maths.isOperatorNode(node) && operators.has(node.fn)) return workOut(node.fn, operators, node, notes);
  if (maths.isFunctionNode(node) && maths.isSymbolNode(node.fn)) return workOut(node.fn.name, functions, node, notes);
  const constant = maths.isSymbolNode(node) ? constants.get(node.name) : undefined;
  if (constant !== undefined) return constant;
  if (maths.isSymbolNode(node)) throw new Refusal(`"${node.name}" is not a number; leave words and units out`);
  throw new Refusal(`${textOf(node)} is more than arithmetic with + - * / ^ % ! and functions`);
}

function workOut(name: string, calls: typeof functions, node: Operation, notes: Set<string>): number {
  const call = calls.get(name);
  if (call === undefined) throw new Refusal(`there is no function "${name}", only ${[...functions.keys()].join(", ")}`);
  const numbers = node.args.map((part) => evaluate(part, notes));
  const problem = (text: string) => new Refusal(`${textOf(node)} ${text}`);
  const most = call.length || (/^(?:log|round|floor|ceil|fix)$/.test(name) ? 2 : 1000);
  if (numbers.length < Math.max(1, call.length) || numbers.length > most)
    throw problem(`has ${numbers.length} numbers, and needs ${call.length || `from 1 to ${most}`}`);
  const [left = 0, right = 0] = numbers;
  const isChange = /^(?:add|subtract)$/.test(name) && isPercentage(node.args[1]) && !isPercentage(node.args[0]);
  let value: number;
  try {
    value = isChange ? call(left, left * right) : call(...numbers);
  } catch (error) {
    throw error instanceof Refusal ? problem(error.message) : error;
  }
  const isProduct = /^(?:multiply|divide|product|pow|exp|square|cube)$/.test(name);
  refuseUnbounded(value, node, !isProduct || numbers.includes(0));
  if (Math.abs(value) >= 1e15 && ![value, ...numbers].every(Number.isSafeInteger)) notes.add(tooLong);
  if (/^a?(?:sin|cos|tan)2?$/.test(name) && !/\bpi\b/.test(node.toString())) notes.add("angles are in radians");
  if (name === "log" && numbers.length === 1) notes.add("log is the natural logarithm, with base e; log10 has base 10");
  return value;
}

function refuseUnbounded(value: number, part: MathNode | BigNumber, canBeZero: boolean): void {
  if (Number.isNaN(value)) throw new Refusal(`${textOf(part)} has no value among the real numbers`);
  if (!Number.isFinite(value)) throw new Refusal(`${textOf(part)} is too large to work with (over 1.8e308)`);
  if (Math.abs(value) >= 1e-300 || (value === 0 && canBeZero)) return;
  throw new Refusal(`${textOf(part)} is too near to 0 to work with (under 1e-300)`);
}

/** Reads a number. Doubles hold 15 digits of any number, and all of a whole number up to 2^53. */
function written(decimal: BigNumber, notes: Set<string>): number {
  const value = decimal.toNumber();
  refuseUnbounded(value, decimal, decimal.isZero());
  if (decimal.precision(true) > 15 && !Number.isSafeInteger(value)) notes.add(tooLong);
  return value;
}

/** A percentage is added as a part of the number: `150 + 10%` is 165. Two percentages are added as numbers. */
function isPercentage(node: MathNode | undefined): boolean {
  if (maths.isParenthesisNode(node)) return isPercentage(node.content);
  if (!maths.isOperatorNode(node)) return false;
  const { fn, args }: Operation & { readonly fn: string } = node;
  return fn === "ctranspose" || (/^(?:add|subtract|unary)/.test(fn) && args.every(isPercentage));
}

function textOf(part: MathNode | BigNumber | string): string {
  return shorten(inOneLine(part.toString().replaceAll(percentSign, "%")), 60);
}
