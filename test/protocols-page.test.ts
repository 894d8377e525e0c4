import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { ParsedReply } from "../src/core/state/decision.js";
import { protocols } from "../src/protocols/by-name.js";
import { type CallForm, callForms, quoteTokens, thinkingSigns } from "../src/protocols/forms/call-forms.js";
import type { ToolSpec } from "../src/tool-inputs/tool-spec.js";

const page = readFileSync("docs/protocols.md", "utf8");

/** The rows of the table with a heading. A bar in a cell is written as `\|`. */
function rowsBelow(heading: string): string[][] {
  const [, rows = ""] = page.split(`\n| ${heading} |`);
  const [, , ...lines] = (rows.split("\n\n")[0] ?? "").split("\n");
  return lines.map((line) => {
    const cells = line.slice(2, -2).split(/ (?<!\\)\| /);
    return cells.map((cell) => cell.replaceAll("\\|", "|").replace(/^(`+)(.*)\1$/, "$2"));
  });
}

function toolWith(name: string, properties: Record<string, object>, required = Object.keys(properties)): ToolSpec {
  return { name, description: name, parameters: { type: "object", properties, required } };
}

const text = { type: "string" };
const tools: readonly ToolSpec[] = [
  toolWith("get_weather", { city: text }),
  toolWith("delete_file", { path: text }),
  toolWith("add_part", { code: text, count: { type: "integer" }, bins: { type: "array" } }, ["code", "count"]),
];

/** Says what a reply is read as, in the words of the page. */
function inWords(parsed: ParsedReply): string {
  if (parsed.kind === "action") return "call";
  if (parsed.kind === "finish") return "answer";
  return parsed.ifRepeated === undefined ? "correction" : "correction, then answer";
}

const replies = rowsBelow("reply | with native tools");

it.each(replies)("the page of protocols says how a reply is parsed: %s", (reply = "", ...said) => {
  const names = ["tool-calling", "react"] as const;
  expect(names.map((name) => inWords(protocols[name].parse(reply, tools)))).toEqual(said);
});

const calls = rowsBelow("call | arguments");

it.each(calls)("the page of protocols says which arguments a call has: %s", (call = "", written = "") => {
  const parsed = protocols["tool-calling"].parse(call, tools);
  expect(parsed.kind === "action" && parsed.actions.map(({ toolInput }) => toolInput)).toEqual([JSON.parse(written)]);
});

/** Fills a form with a call of `f` that has the text `x` for its argument `a`. */
function filled({ families, around: [opening, closing] = ["", ""], call, field = "", weak }: CallForm): string {
  const quote = quoteTokens[families];
  const json = '{"name": "f", "arguments": {"a": "x"}}';
  const gaps: Readonly<Record<string, string>> = {
    NAME: "f",
    ID: "0",
    SIGNS: "",
    CALLS: weak ? `[${json}]` : json,
    CODE: '[f(a="x")]',
    ARGUMENTS: quote === undefined ? '{"a": "x"}' : `{a:${quote}x${quote}}`,
    WORDS: "x",
    KEY: "a",
    VALUE: "x",
    JSON: "x",
    TYPE: field.includes('string="TYPE"') ? "true" : "string",
  };
  const inside = call.replace("FIELDS", field).replaceAll(/\b[A-Z]+\b/g, (word) => gaps[word] ?? word);
  return `${opening}${inside}${closing}`.replaceAll(/\s+/g, " ");
}

const forms = callForms.map((form) => [form.families, filled(form)] as const);

it("the page of protocols shows each form of a call, and the signs of thoughts", async () => {
  const rows = forms.map(([families, form]) => `| ${families} | \`${form.replaceAll("|", "\\|")}\` |\n`).join("");
  const signs = thinkingSigns.map((pair) => `${pair.join(" … ")}\n`).join("");
  const written = page
    .replace(/(?<=^\| families \| form \|\n.*\n)(?:\|.*\n)+/m, () => rows)
    .replace(/(?<=^```text\n)[^`]+(?=```$)/m, () => signs);
  await expect(written).toMatchFileSnapshot("../docs/protocols.md");
});

it.each(forms)("a call is parsed as the page of protocols shows: %s", (_families, form) => {
  const parsed = protocols["tool-calling"].parse(form, [toolWith("f", { a: text })]);
  expect(parsed).toMatchObject({ kind: "action", actions: [{ tool: "f", toolInput: { a: "x" } }] });
});
