import { z } from "zod";
import { give } from "../../base/options.js";

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
