import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agentOptionsSchema } from "../src/agent/options.js";
import { providerNames } from "../src/model/models.js";
import { protocolChoices } from "../src/protocols/names.js";
import { toolNames } from "../src/tools/named-tools.js";
import { stopReasonSchema } from "../src/turn/decision.js";

const readme = readFileSync("README.md", "utf8");

/** The names in the first column of the README's table with a heading. */
function namesInTable(heading: string): string[] {
  const [, rows = ""] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-| ]+\\n((?:\\|.*\\n)+)`, "m").exec(readme) ?? [];
  return [...rows.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
}

describe("the README lists", () => {
  it("every protocol", () => {
    expect(namesInTable("name").sort()).toEqual([...protocolChoices].sort());
  });

  it("every option of an agent", () => {
    expect(namesInTable("option").sort()).toEqual(Object.keys(agentOptionsSchema.shape).sort());
  });

  it.each([
    ["stop reason", stopReasonSchema.options],
    ["tool of the command line", toolNames],
    ["provider of models", providerNames],
  ])("every %s", (_what, names) => {
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !readme.includes(`"${name}`) && !readme.includes(`\`${name}`))).toEqual([]);
  });
});
