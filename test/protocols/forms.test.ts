import { describe, expect, it } from "vitest";
import { parsedJson } from "../../src/base/attempted.js";
import { isRecord } from "../../src/base/is-record.js";
import { protocols } from "../../src/protocols/by-name.js";
import { callForms } from "../../src/protocols/forms/call-forms.js";
import { closingSigns, openingSigns } from "../../src/protocols/forms/form-signs.js";
import type { ToolInput } from "../../src/tool-inputs/tool-input.js";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";
import { matrix } from "../matrix/matrix.js";
import { formExamples, proseReplies, proseTools, slips, tools } from "./forms.js";

const names = matrix(["tool-calling", "react", "structured-chat"] as const, "tool-calling", "react");
const families = callForms.map((form) => form.families);

/** Reads a reply as its calls, or as what it is instead. */
function read(name: (typeof names)[number], text: string, offered = tools) {
  const parsed = protocols[name].parse(text, offered);
  if (parsed.kind !== "action") return parsed;
  return parsed.actions.map(({ tool, toolInput }) => ({ tool, input: fieldsOf(toolInput, tool, offered) }));
}

/** Returns an input as the fields that the agent makes of it: JSON, or a text for the only argument that a tool needs. */
function fieldsOf(input: ToolInput, tool: string, offered: readonly ToolSpec[]): ToolInput {
  if (typeof input !== "string") return input;
  const json = parsedJson(input);
  if (isRecord(json)) return json;
  const required = offered.find(({ name }) => name === tool)?.parameters?.required;
  if (!Array.isArray(required)) return input === "" ? {} : input;
  return required.length === 1 ? { [required[0]]: input } : input;
}

describe("the forms of calls", () => {
  it("have a row for each example", () => {
    expect(formExamples.map(({ family }) => family).filter((family) => !families.includes(family))).toEqual([]);
    expect(families).toEqual([...new Set(families)]);
  });

  /** The families that make one call in a reply. */
  const makesOneCall = /^GigaChat 3(\.1)?$|^LangChain's XML agent$/;

  it("have an example of one call and one of several", () => {
    for (const family of families) {
      const cases = formExamples.filter((example) => example.family === family).map((example) => example.case);
      expect(cases, family).toEqual(
        expect.arrayContaining(makesOneCall.test(family) ? ["single"] : ["single", "several"]),
      );
    }
  });

  it("have an example of each sign", () => {
    const texts = formExamples.map(({ text }) => text.replaceAll(/\s/g, ""));
    const unseen = openingSigns.filter((sign) => !texts.some((text) => text.includes(sign.replaceAll(" ", ""))));
    expect(unseen).toEqual([]);
  });
});

it.each(names)("in %s, a call in the form of each family is read", (name) => {
  for (const example of formExamples) expect({ ...example, calls: read(name, example.text) }).toEqual(example);
});

it("the thought before a call has none of its signs", () => {
  const signs = [...openingSigns, ...closingSigns].filter((sign) => /^[<[\]]/.test(sign));
  for (const { text } of formExamples) {
    const parsed = protocols["tool-calling"].parse(text, tools);
    const thought = parsed.kind === "action" ? (parsed.thought ?? "") : "";
    expect([text, signs.filter((sign) => thought.includes(sign))]).toEqual([text, []]);
  }
});

it.each(names)("in %s, a call with a slip is read or corrected", (name) => {
  for (const { text, expected, protocols: only } of slips) {
    if (only?.includes(name) === false) continue;
    const found = read(name, text);
    if (expected.kind === "calls") expect([text, found]).toEqual([text, expected.calls]);
    else if (expected.kind === "unknown" && Array.isArray(found)) {
      expect([text, found]).toMatchObject([text, [{ tool: expected.tool }]]);
    } else {
      const says = expected.kind === "unknown" ? expected.tool : (expected.says ?? "");
      expect([text, found]).toMatchObject([text, { kind: "unparseable", why: expect.stringContaining(says) }]);
    }
  }
});

it("words with a call run it, or only talk about it", () => {
  for (const { id, protocol, text, label, call } of proseReplies) {
    const found = read(protocol, text, proseTools);
    expect([id, label === "run" ? found : Array.isArray(found)]).toEqual([id, label === "run" ? [call] : false]);
  }
});
