/** LangGraph's operators. */
const operators: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
};

/**
 * Tells whether an item is as a filter wants it: each key of the filter has a value, or an object of operators. It compares
 * as LangGraph's store in memory does.
 */
export function matchesFilter(
  item: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const value = item[key];
    const conditions = typeof wanted === "object" && wanted !== null ? Object.entries(wanted) : undefined;
    if (conditions === undefined || !conditions.every(([name]) => Object.hasOwn(operators, name))) {
      return value === wanted;
    }
    return conditions.every(([name, operand]) => operators[name]?.(value, operand) === true);
  });
}
