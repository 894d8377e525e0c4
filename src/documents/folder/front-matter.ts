import { parse } from "yaml";
import { z } from "zod";
import { attempted } from "../../base/attempted.js";

/** The length from which front matter is ignored, because it is parsed on the main thread. */
const longest = 10_000;

const map = z.record(z.string(), z.unknown());
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const fieldValue = z.union([scalar.transform((value) => [value]), z.array(scalar)]);

/** A value of a field. A field with several values has several of these. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

/**
 * Reads the YAML between the two lines `---` at the beginning of a Markdown document, or the TOML between two lines `+++`,
 * up to its first table. A field is a text, a number, true or false, or a list of such. Others are left out. So is front
 * matter that cannot be read, or has more than 10,000 characters.
 */
export function readFrontMatter(markdown: string) {
  const beginning = markdown.slice(0, longest);
  const [, toml] = /^\uFEFF?\+\+\+\r?\n([\s\S]*?)\r?\n\+\+\+(?:\r?\n|$)/.exec(beginning) ?? [];
  const [, text = toYaml(toml ?? "")] =
    /^\uFEFF?---\r?\n([\s\S]*?)\r?\n(?:---|\.\.\.)(?:\r?\n|$)/.exec(beginning) ?? [];
  const yaml = attempted(() => map.parse(parse(text, { logLevel: "error", maxAliasCount: 0 })));
  const fields = Object.entries(yaml ?? {}).flatMap(([name, value]) =>
    (fieldValue.safeParse(value).data ?? []).map((one) => ({ name, value: one })),
  );
  return { title: fields.find(({ name }) => name === "title")?.value, fields };
}

/** Values and lists of TOML are written as in YAML, each on its line. */
function toYaml(toml: string): string {
  const [fields = ""] = toml.split(/^\s*\[/m);
  return fields.replaceAll(/^\s*([\w-]+)\s*=/gm, "$1: ");
}
