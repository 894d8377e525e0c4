import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { ToolError } from "../../base/errors.js";

const schema = z.object({
  expression: z.string().describe("An arithmetic expression, such as (54-32)*5/9, 25^(1/2) or 20% of 150."),
});

/**
 * Makes a tool named `calculator` that works out arithmetic, like the one in langchain-mini: `25^(1/2)` is 5.
 *
 * - Operators: + - * / ^ ! and parentheses. % is a percentage, or the remainder between two numbers.
 * - Functions, such as `sqrt`, `round(x, digits)`, `log` (natural), `log10`, `min`, `max` and `sin`. An error lists all.
 * - Constants: pi, e, tau and phi.
 *
 * Numbers may have thousands separators and currency signs. They are doubles, shown with up to 15 digits: 0.1 + 0.2 is 0.3.
 * Whole numbers are exact up to 2^53. A note tells if a longer number was on the way, and if others may take a result for
 * something else: `0.84 (angles are in radians)`. Numbers are worked out from 1e-300 to 1.8e308, and texts up to 1000
 * characters. Nothing else is ever run, whatever a model writes.
 *
 * @returns A LangChain tool. Its result is the number as text, with notes in parentheses. It throws
 *   {@link ToolError} "calculation-failed", with a sentence for the model, if there is no number.
 * @example
 * await calculator().invoke({ expression: "150 + 10%" }); // "165"
 */
export function calculator() {
  return tool(async ({ expression }) => (await import("./arithmetic.js")).calculate(expression), {
    name: "calculator",
    description:
      "Works out arithmetic. The input is one expression of numbers, such as (54-32)*5/9, 25^(1/2), sqrt(2) or 20% of 150.",
    schema,
  });
}
