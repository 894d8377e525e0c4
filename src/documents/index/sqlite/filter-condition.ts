import type { Cell } from "../../../sqlite/sqlite-server.js";
import type { CheckedFilter } from "../document-filter.js";

/** A part of an SQL query. Its parameters begin at the number that was asked for. */
export interface SqlCondition {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/**
 * Writes the condition that a column has the id of a document that fits. It is always true without a filter.
 *
 * @param folder The parameter with the id of the folder, such as `?2`.
 * @param from The number of the first parameter that is free.
 */
export function filterCondition(
  { path = [], extension = [], frontMatter = {} }: CheckedFilter,
  column: string,
  folder: string,
  from: number,
): SqlCondition {
  const parameters: Cell[] = [];
  const next = (value: string) => `?${from + parameters.push(value) - 1}`;
  const anyOf = (tests: readonly string[]) => (tests.length === 0 ? [] : [`(${tests.join(" or ")})`]);
  const tests = [
    ...anyOf(path.map((pattern) => `path glob ${next(pattern.replaceAll("[", "[[]"))}`)),
    ...anyOf(extension.map((ending) => `lower(path) glob ${next(`*.${ending.replace(/^\./, "").toLowerCase()}`)}`)),
    ...Object.entries(frontMatter).map(([name, values]) => {
      const field = next(name);
      return `exists (select 1 from fields where document = documents.id and name = ${field}
        and value in (${values.map(next).join(", ")}))`;
    }),
  ];
  if (tests.length === 0) return { sql: "true", parameters: [] };
  const fitting = `select id from documents where folder = ${folder} and ${tests.join(" and ")}`;
  return { sql: `${column} in (${fitting})`, parameters };
}
