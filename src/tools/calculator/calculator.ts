import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { evaluateArithmetic, notWorkedOut } from "./arithmetic.js";
import { loadMaths } from "./maths-library.js";
import { writeNumber } from "./written-number.js";

const schema = z.object({
  expression: z.string().describe("An arithmetic expression, such as (54-32)*5/9, 25^(1/2) or 20% of 150."),
});

/**
 * Makes a tool named `calculator` that works out arithmetic, like the one in langchain-mini: `25^(1/2)` is 5.
 *
 * - Operators: + - * / ^ ! and parentheses. % is a percentage, or the remainder between two numbers.
 * - Functions, such as `sqrt`, `round(x, digits)`, `log` (natural), `log10`, `min`, `max` and `sin`. An error lists all.
 * - Constants: pi, e, tau and phi.
 * - Phrases with one meaning, such as "20% off 80", "half of 9", "sum of 3, 4 and 5" and "sine of 30 degrees".
 *
 * Numbers may have thousands separators and currency signs. Whole numbers and decimals up to 30 places are exact. Others
 * have the digits that are sure, 15 in most cases. An answer that looks exact and is not says so: `2 (rounded)`. It also
 * tells what others may take for something else: `0.5 (angles are in degrees)`. Numbers are worked out from 1e-280 to
 * 1.8e308, and texts up to 1000 characters. Nothing else is ever run, whatever a model writes.
 *
 * @returns A LangChain tool. Its result is the number as text, with notes in parentheses. It throws
 *   {@link ToolError} "calculation-failed", with a sentence for the model, if there is no number.
 * @example
 * await calculator().invoke({ expression: "150 + 10%" }); // "165"
 */
export function calculator() {
  return tool(async ({ expression }) => calculate(expression), {
    name: "calculator",
    description:
      "Works out arithmetic. The input is one expression of numbers, such as (54-32)*5/9, 25^(1/2), sqrt(2) or 20% of 150.",
    schema,
  });
}

const tooRounded = "rounding leaves too few of its digits; write it with whole numbers, or an angle in degrees";

async function calculate(text: string): Promise<string> {
  const { value, conventions } = evaluateArithmetic(text, await loadMaths());
  const written = writeNumber(value);
  if (written === undefined) throw notWorkedOut(text, tooRounded);
  const notes = [...(written.isRounded ? ["rounded"] : []), ...conventions];
  return notes.length === 0 ? written.text : `${written.text} (${notes.join("; ")})`;
}
