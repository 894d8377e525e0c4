import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { evaluateArithmetic } from "./arithmetic.js";
import type { Value } from "./arithmetic-operations.js";
import { loadMaths } from "./maths-library.js";

const schema = z.object({
  expression: z.string().describe("An arithmetic expression, such as (54-32)*5/9, 25^(1/2) or 20% of 150."),
});

/**
 * Makes a tool named `calculator` that works out arithmetic, like the one in langchain-mini: `25^(1/2)` is 5.
 *
 * - Operators: + - * / ^ ! and parentheses. % is a percentage, or the remainder between two numbers.
 * - Functions, such as `sqrt`, `round(x, digits)`, `log` (natural), `log10`, `min`, `max` and `sin` (in radians).
 * - Constants: pi, e, tau and phi.
 *
 * Numbers may have thousands separators and currency signs. Whole numbers are exact, others have double precision.
 * Nothing else is ever run, whatever a model writes.
 *
 * @returns A LangChain tool. Its result is the number as text. It throws {@link CalculationError}, with a sentence for
 *   the model, if there is no number.
 * @example
 * await calculator().invoke({ expression: "150 + 10%" }); // "165"
 */
export function calculator() {
  return tool(async ({ expression }) => formatValue(await evaluate(expression)), {
    name: "calculator",
    description:
      "Works out arithmetic. The input is one expression of numbers, such as (54-32)*5/9, 25^(1/2), sqrt(2) or 20% of 150.",
    schema,
  });
}

async function evaluate(text: string): Promise<Value> {
  return evaluateArithmetic(text, await loadMaths());
}

/** Writes a number in plain digits, without the last digits of double precision: 0.3 for 0.1 + 0.2. */
function formatValue(value: Value): string {
  if (typeof value === "bigint") return value.toString();
  const rounded = Number(value.toPrecision(15));
  const shown = String(rounded).length + 4 < String(value).length ? rounded : value;
  const text = String(shown);
  return text.includes("e-") && Math.abs(shown) >= 1e-15 ? plainDigits.format(shown) : text;
}

const plainDigits = new Intl.NumberFormat("en-US", { useGrouping: false, maximumSignificantDigits: 15 });
