import { type CallForm, callForms, quoteTokens } from "../../src/protocols/forms/call-forms.js";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";

/** The tools of the examples. */
export const exampleTools: readonly ToolSpec[] = [
  toolOf("get_weather", { city: { type: "string" }, days: { type: "integer" } }, ["city"]),
  toolOf("search", { query: { type: "string" } }, ["query"]),
];

function toolOf(name: string, properties: Record<string, unknown>, required: readonly string[]): ToolSpec {
  return { name, description: "", parameters: { type: "object", properties, required } };
}

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, string | number>>;
}

const weather: Call = { name: "get_weather", input: { city: "Antwerp", days: 2 } };
const search: Call = { name: "search", input: { query: "tide tables" } };
const searchAgain: Call = { name: "search", input: { query: "low water" } };

/** A text with calls in a form of the table. */
export interface FormExample {
  readonly name: string;
  readonly form: CallForm;
  readonly calls: readonly Call[];
  readonly text: string;
}

/** Each row of the table with one call, and with two. */
export const formExamples: readonly FormExample[] = callForms.flatMap((form) => {
  const [one, other] = /WORDS/.test(form.call) ? [search, searchAgain] : [weather, search];
  return [[one], [one, other]].map((calls) => ({
    name: `${form.families}: ${form.call}, ${calls.length === 1 ? "one call" : "two calls"}`,
    form,
    calls,
    text: written(form, calls),
  }));
});

/** Writes calls in a form, by filling its gaps. */
function written(form: CallForm, calls: readonly Call[]): string {
  const [opening = "", closing = ""] = form.around ?? [];
  const takesAll = /^(?:CALLS|CODE)$/.test(form.call);
  const inside = takesAll ? [form.call] : calls.map(() => form.call);
  const texts = inside.map((pattern, n) => filled(pattern, form, takesAll ? calls : calls.slice(n, n + 1)));
  return opening + texts.join(form.weak ? "\n" : "") + closing;
}

function filled(pattern: string, form: CallForm, calls: readonly Call[]): string {
  const [call] = calls;
  if (!call) throw new Error("An example needs a call.");
  const texts: Readonly<Record<string, () => string>> = {
    NAME: () => call.name,
    ID: () => "0",
    SIGNS: () => "",
    CALLS: () => JSON.stringify(calls.map(({ name, input }) => ({ name, arguments: input }))),
    CODE: () => `[${calls.map(inPython).join(", ")}]`,
    ARGUMENTS: () => objectIn(form, call),
    FIELDS: () =>
      Object.entries(call.input)
        .map(([key, value]) => fieldIn(form, key, value))
        .join(""),
    WORDS: () => Object.values(call.input).join(" "),
  };
  return pattern.replaceAll(/\b[A-Z]{2,9}\b/g, (gap) => texts[gap]?.() ?? gap);
}

function inPython({ name, input }: Call): string {
  return `${name}(${Object.entries(input)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(", ")})`;
}

function objectIn({ families }: CallForm, { input }: Call): string {
  const quote = quoteTokens[families];
  if (quote === undefined) return JSON.stringify(input);
  const fields = Object.entries(input).map(
    ([key, value]) => `${key}:${typeof value === "string" ? quote + value + quote : value}`,
  );
  return `{${fields.join(",")}}`;
}

function fieldIn({ field = "<KEY>VALUE</KEY>" }: CallForm, key: string, value: string | number): string {
  const texts: Readonly<Record<string, string>> = {
    KEY: key,
    VALUE: String(value),
    TYPE: typeof value === "string" ? "true" : "false",
    SIGNS: "",
  };
  return field.replace("JSON", "VALUE").replaceAll(/\b[A-Z]{2,9}\b/g, (gap) => texts[gap] ?? gap);
}
