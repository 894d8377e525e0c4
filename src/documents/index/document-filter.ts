import { z } from "zod";
import { give } from "../../base/options.js";
import type { Cell } from "../../sqlite/sqlite-server.js";

const someOf = <Value extends z.ZodType<string>>(value: Value) =>
  z.union([value.transform((one) => [one]), z.array(value).min(1)]);
const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The schema of a {@link DocumentFilter}. */
export const filterSchema = z.strictObject(
  {
    path: someOf(z.string().min(1)).optional(),
    extension: someOf(z.string().regex(/^\.?[\p{L}\p{N}_-]+$/u)).optional(),
    frontMatter: z.record(z.string(), z.union([text.transform((one) => [one]), z.array(text).min(1)])).optional(),
  },
  give(`a filter such as { path: "guides/*", extension: "md", frontMatter: { lang: "en" } }`),
);

/**
 * Says which documents are searched. A document must fit all parts that are given. Of a list it must fit one.
 *
 * - `path`: patterns for the path below the folder. `*` stands for any characters, `/` too, and `?` for one: `"guides/*"`.
 * - `extension`: endings of files, with or without the dot: `["md", "pdf"]`.
 * - `frontMatter`: values of fields in the front matter of Markdown: `{ lang: "en", tags: ["api", "cli"] }`. A field that
 *   is a list fits if one of its values does.
 */
export type DocumentFilter = z.input<typeof filterSchema>;

/** A filter as it is after its check. */
export type CheckedFilter = z.output<typeof filterSchema>;

/** A part of an SQL query. Its parameters begin at the number that was asked for. */
interface SqlCondition {
  readonly sql: string;
  readonly parameters: readonly Cell[];
}

/**
 * Writes the condition that a column has the id of a document that fits. It is always true if all do.
 *
 * @param gone The paths of documents that do not fit.
 * @param folder The parameter with the id of the folder, such as `?2`.
 * @param from The number of the first parameter that is free.
 */
export function filterCondition(
  { path = [], extension = [], frontMatter = {} }: CheckedFilter,
  gone: readonly string[],
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
    ...(gone.length === 0 ? [] : [`path not in (select value from json_each(${next(JSON.stringify(gone))}))`]),
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
