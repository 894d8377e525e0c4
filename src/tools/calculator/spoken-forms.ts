/** The phrases that have one meaning, and their expressions. A phrase is a whole text, or an operand of another. */
const forms: readonly (readonly [RegExp, (left: string, right: string) => string])[] = [
  [/^(\S+ ?%) (?:off|discount on) (?:of )?(.+)$/i, (share, price) => `${price} - ${share}`],
  [/^(.+) (?:with|at|less) (?:a )?(\S+ ?%) (?:off|discount)$/i, (price, share) => `${price} - ${share}`],
  [/^(.+) more than (.+)$/i, (part, whole) => `${whole} + ${part}`],
  [/^(.+) (?:less than|subtracted from) (.+)$/i, (part, whole) => `${whole} - ${part}`],
  [/^subtract (.+) from (.+)$/i, (part, whole) => `${whole} - ${part}`],
  [/^(?:increase (.+)|(.+) increased) by (.+)$/i, (whole, part) => `${whole} + ${part}`],
  [/^(?:decrease (.+)|reduce (.+)|(.+) (?:de|re)(?:creased|duced)) by (.+)$/i, (whole, part) => `${whole} - ${part}`],
  [/^add (.+) (?:and|to) (.+)$/i, (left, right) => `${left} + ${right}`],
  [/^multiply (.+) (?:by|and) (.+)$/i, (left, right) => `${left} * ${right}`],
  [/^divide (.+) by (.+)$/i, (left, right) => `${left} / ${right}`],
  [/^(?:the )?remainder (?:of|when) (.+?) (?:is )?divided by (.+)$/i, (left, right) => `mod(${left}, ${right})`],
  [/^(.+) modulo (.+)$/i, (left, right) => `mod(${left}, ${right})`],
  [/^(.+) choose (.+)$/i, (things, chosen) => `combinations(${things}, ${chosen})`],
  [/^(?:the )?log(?:arithm)? base (\S+) of (.+)$/i, (base, value) => `log(${value}, ${base})`],
  [/^(.+) to the (\d+)(?:st|nd|rd|th) power$/i, (base, exponent) => `${base} ^ ${exponent}`],
  [/^(?:the )?(?:natural log(?:arithm)?) of (.+)$/i, (value) => `ln(${value})`],
  [/^(?:the )?absolute value of (.+)$/i, (value) => `abs(${value})`],
  [/^(?:the )?square of (.+)$/i, (value) => `${value} ^ 2`],
  [/^(?:the )?cube of (.+)$/i, (value) => `${value} ^ 3`],
  [/^(?:(?:the )?factorial of (.+)|(.+) factorial)$/i, (value) => `${value}!`],
  [/^half (?:of )?(.+)$/i, (value) => `${value} / 2`],
  [/^(?:a|one) third of (.+)$/i, (value) => `${value} / 3`],
  [/^(?:a|one) quarter of (.+)$/i, (value) => `${value} / 4`],
  [/^two thirds of (.+)$/i, (value) => `${value} * 2 / 3`],
  [/^three quarters of (.+)$/i, (value) => `${value} * 3 / 4`],
  [/^(?:twice|double|two times) (.+)$/i, (value) => `2 * ${value}`],
  [/^(?:triple|three times) (.+)$/i, (value) => `3 * ${value}`],
];

/** The functions of a list of numbers, by the words before "of". */
const lists: readonly (readonly [RegExp, string])[] = [
  [/^(?:the )?(?:sum|total) of (.+)$/i, "sum"],
  [/^(?:the )?product of (.+)$/i, "product"],
  [/^(?:the )?(?:mean|average) of (.+)$/i, "mean"],
  [/^(?:the )?median of (.+)$/i, "median"],
  [/^(?:the )?(?:minimum|smallest|lowest) of (.+)$/i, "min"],
  [/^(?:the )?(?:maximum|largest|highest) of (.+)$/i, "max"],
  [/^(?:the )?(?:gcd|greatest common (?:divisor|factor)) of (.+)$/i, "gcd"],
  [/^(?:the )?(?:lcm|least common multiple) of (.+)$/i, "lcm"],
];

/** Trigonometric functions in words. Degrees stay, for the spelling of angles. */
const angles = /^(?:the )?(sin|cos|tan)(?:e|ine|gent)? of (-?[\d.]+ ?(?:°|deg(?:rees?)?)?)(?: ?radians)?$/i;

/**
 * Writes a phrase as an expression: "20% off 80" becomes `80 - 20%`. Only a phrase of plain numbers is read, or of other
 * phrases. So "half of 9 + 1" stays as it is, because it has two meanings.
 */
export function withoutWords(text: string): string {
  return readPhrase(text, 0) ?? text;
}

const deepestPhrase = 20;

function readPhrase(text: string, depth: number): string | undefined {
  const [, angleFunction, angle] = angles.exec(text) ?? [];
  if (angleFunction !== undefined) return `${angleFunction}(${angle})`;
  for (const [pattern, name] of lists) {
    const list = pattern.exec(text)?.[1]?.replace(/,? and /gi, ", ");
    if (list?.split(",").every((item) => term.test(item.trim()))) return `${name}(${list})`;
  }
  for (const [pattern, write] of forms) {
    const found = pattern
      .exec(text)
      ?.slice(1)
      .filter((operand) => operand !== undefined);
    const [left, right = ""] = found?.map((operand) => readOperand(operand, depth)) ?? [];
    if (left !== undefined && right !== undefined) return write(left, right);
  }
  return undefined;
}

/** A number, or anything in one pair of parentheses. */
const term = /^(?:[-+]?[$€£¥₹]?\d[\d.,]* ?(?:%|percent)?|\([^()]*\))$/i;

/** Reads a number, a term in parentheses, or another phrase. In parentheses it stays one: the square of -3 is 9. */
function readOperand(text: string, depth: number): string | undefined {
  const read = term.test(text) ? text : depth < deepestPhrase ? readPhrase(text, depth + 1) : undefined;
  return read && `(${read})`;
}
