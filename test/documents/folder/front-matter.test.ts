import { describe, expect, it } from "vitest";
import { readFrontMatter } from "../../../src/documents/folder/front-matter.js";

const fieldsOf = (fields: Record<string, string | readonly string[]>) =>
  Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => ({ name, value })));

describe("readFrontMatter", () => {
  it("reads the title, and values and lists of values as texts", () => {
    const text = "---\ntitle: 'A: b'\nyear: 2020\ndraft: true\ntags: [api, 7]\nwhen: 2024-01-02\n---\n# One\n";
    expect(readFrontMatter(text)).toEqual({
      title: "A: b",
      fields: fieldsOf({ title: "A: b", year: "2020", draft: "true", tags: ["api", "7"], when: "2024-01-02" }),
    });
  });

  it("reads TOML up to its first table", () => {
    const text = `+++\ntitle = "A: b"\nyear=2020 # new\ndraft = true\ntags = ['api', "x"]\n\n[extra]\nhidden = 1\n+++\n# One\n`;
    expect(readFrontMatter(text)).toEqual({
      title: "A: b",
      fields: fieldsOf({ title: "A: b", year: "2020", draft: "true", tags: ["api", "x"] }),
    });
  });

  it("reads Windows line ends, a byte order mark, and three dots at the end", () => {
    expect(readFrontMatter("\uFEFF---\r\nlang: en\r\n...\r\ntext").fields).toEqual([{ name: "lang", value: "en" }]);
  });

  it.each([
    ["no front matter", "# One\n---\nlang: en\n---\n"],
    ["a line above it", "\n---\nlang: en\n---\n"],
    ["text that is not YAML", "---\na: [1\n---\n"],
    ["a list", "---\n- a\n---\n"],
    ["values that are maps, or nothing", "---\na: { b: 1 }\nc:\nd: [[1]]\n---\n"],
    ["a key that is a map", "---\n? { a: 1 }\n: { b: 1 }\n---\n"],
    ["names that stand for other names", "---\na: &a [1]\nb: [*a, *a]\n---\n"],
    ["front matter without an end", "---\nlang: en\n"],
    ["more than 10,000 characters", `---\n${"a: 1 # x\n".repeat(2_000)}---\n`],
  ])("leaves out %s", (_, text) => {
    expect(readFrontMatter(text).fields).toEqual([]);
  });
});
