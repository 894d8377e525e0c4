import { type Unit, unitNamed, unitPattern } from "./units.js";

/** A number in a text, with its unit if it has one. */
export interface Quantity {
  /** The quantity as in the text: `54 °F`. */
  readonly text: string;
  /** The number for a calculator: `54`, or `2.8*10^9` for 2.8 billion. */
  readonly value: string;
  readonly unit?: Unit;
}

const months = "January|February|March|April|May|June|July|August|September|October|November|December";

/** Numbers that count nothing: dates, years, times of the day, ordinals, sizes such as 3x3x3, parts of names. */
const notQuantities = new RegExp(
  [
    `\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${months})(?:,? \\d{4})?`,
    `\\b(?:${months}) \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?\\b(?!\\.\\d)`,
    `\\b(?:${months}) \\d{4}`,
    "\\b\\d{4}-\\d{2}-\\d{2}",
    "\\b\\d{1,2}:\\d{2}",
    "\\b\\d+(?:st|nd|rd|th)\\b",
    "\\b\\d+(?:[x×]\\d+)+",
    `\\b(?:19|20)\\d{2}\\b(?![.,]\\d|\\s*(?:${unitPattern}|%)\\b)`,
    "(?<=[A-Za-z_]-?)\\d+(?:\\.\\d+)?",
    "#\\d+",
  ].join("|"),
  "gi",
);

const quantity = new RegExp(
  `(-|\\$)?(\\d+(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)(?:\\s*(million|billion|trillion))?(?:[\\s-]*(${unitPattern}|[CF])(?![a-z]))?`,
  "gi",
);

const powers: Readonly<Record<string, number>> = { million: 6, billion: 9, trillion: 12 };

/** Returns the quantities of a text in order, without the numbers of dates, names and sizes. */
export function quantitiesIn(text: string): Quantity[] {
  const counted = text.replace(notQuantities, (found) => " ".repeat(found.length));
  return [...counted.matchAll(quantity)].map(([all, sign, digits = "", power, unitName]) => {
    const plain = `${sign === "-" ? "-" : ""}${digits.replaceAll(",", "")}`;
    const value = power === undefined ? plain : `${plain}*10^${powers[power.toLowerCase()]}`;
    const unit = sign === "$" ? unitNamed("dollars") : unitName === undefined ? undefined : unitNamed(unitName);
    return { text: all.trim(), value, ...(unit ? { unit } : {}) };
  });
}

const measures: readonly (readonly [RegExp, Unit["dimension"]])[] = [
  [/\btemperature|\bhot|\bcold|\bwarm|\bcelsius|\bfahrenheit/i, "temperature"],
  [/\btime\b|\blong\b|\bfast|\bduration|\bseconds?\b|\bminutes?\b|\bhours?\b/i, "time"],
  [/\bdistance|\bfar\b|\blength|\bheight|\btall|\bhigh\b|\bdeep|\bwide/i, "length"],
  [/\bweigh|\bheavy|\bmass\b/i, "mass"],
  [/\bcosts?\b|\bprice|\bgross|\bearn|\bbudget|\bbox office|\bdollars?\b|\bmoney/i, "money"],
];

/**
 * Returns the quantity of a text for which a phrase asks. The best one measures the right thing, the next best has a
 * unit. The last choice is the first quantity.
 */
export function askedQuantity(text: string, phrase: string): Quantity | undefined {
  const found = quantitiesIn(text);
  const dimensions = measures.filter(([pattern]) => pattern.test(phrase)).map(([, dimension]) => dimension);
  return (
    found.find(({ unit }) => unit !== undefined && dimensions.includes(unit.dimension)) ??
    found.find(({ unit }) => unit !== undefined) ??
    found[0]
  );
}
