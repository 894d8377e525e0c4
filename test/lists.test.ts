import { existsSync, readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { agentOptionsSchema } from "../src/agent/options.js";
import { turnEventSchema } from "../src/core/run/events.js";
import { stopReasonSchema } from "../src/core/state/decision.js";
import * as memoryEntry from "../src/memory/index.js";
import { providerNames } from "../src/model/models.js";
import * as protocolsEntry from "../src/protocols/index.js";
import { protocolChoices, protocolNames } from "../src/protocols/names.js";
import * as toolsEntry from "../src/tools/index.js";
import { toolNames } from "../src/tools/named-tools.js";
import { checked, event } from "./helpers/turn-events.js";

const readme = readFileSync("README.md", "utf8");
const events = readFileSync("docs/events.md", "utf8");

/** The names in the first column of a page's table with a heading. */
function namesInTable(heading: string, page = readme): string[] {
  const [, rows = ""] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-| ]+\\n((?:\\|.*\\n)+)`, "m").exec(page) ?? [];
  return [...rows.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
}

it("the page of limits lists every end of a turn", () => {
  const page = readFileSync("docs/limits.md", "utf8");
  expect(namesInTable("`stopReason`", page).sort()).toEqual([...stopReasonSchema.options].sort());
});

describe("the page of errors lists", () => {
  const page = readFileSync("docs/errors.md", "utf8");
  const program = ts.createProgram(["src/base/errors.ts"], { lib: ["lib.es2022.d.ts"], types: [] });
  const checker = program.getTypeChecker();

  /** The texts of a union type of `errors.ts`. */
  function textsOf(name: string): string[] {
    const file = program.getSourceFile("src/base/errors.ts");
    const module = file && checker.getSymbolAtLocation(file);
    const symbol = module?.exports?.get(ts.escapeLeadingUnderscores(name));
    const type = symbol && checker.getDeclaredTypeOfSymbol(symbol);
    return type?.isUnion() ? type.types.flatMap((text) => (text.isStringLiteral() ? text.value : [])) : [];
  }

  it.each([
    ["`code`", "ErrorCode"],
    ["`kind`", "ModelErrorKind"],
  ])("every %s", (heading, type) => {
    expect(textsOf(type).length).toBeGreaterThan(10);
    expect(namesInTable(heading, page).sort()).toEqual(textsOf(type).sort());
  });
});

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
    ["tool of the package", Object.keys(toolsEntry).map((name) => `${name}(`)],
    ["memory", Object.keys(memoryEntry).map((name) => `${name}(`)],
  ])("every %s", (_what, names) => {
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !readme.includes(`"${name}`) && !readme.includes(`\`${name}`))).toEqual([]);
  });
});

describe("docs/events.md", () => {
  const rows = [...events.matchAll(/^\| `([\w-]+)` \|.*\| `(\{.*\})` \|$/gm)].map(([, type, example = ""]) => ({
    type,
    ...JSON.parse(example),
  }));

  it("lists every type of an event", () => {
    const types = turnEventSchema.options.map(({ shape }) => shape.type.value);
    expect(rows.map(({ type }) => type).sort()).toEqual(types.sort());
  });

  it("has an example of each that is one", () => {
    for (const row of rows) checked(event(row));
    checked(JSON.parse(/```json\n(.*)\n```/.exec(events)?.[1] ?? ""));
  });
});

it("CONTRIBUTING.md names files and folders that exist", () => {
  const text = readFileSync("CONTRIBUTING.md", "utf8");
  const paths = [...text.matchAll(/`((?:src|test|docs|graphs|examples|bench)\/[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

/** The name of the function that a file exports: `documentSearch` for `document-search`. */
function functionName(file: string): string {
  return file.replace(/\.ts$/, "").replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

describe("the package exports", () => {
  const toolFolders = readdirSync("src/tools").filter((name) => existsSync(`src/tools/${name}/${name}.ts`));
  const memoryFiles = readdirSync("src/memory").filter((name) => !["index.ts", "memory.ts"].includes(name));

  it.each([
    ["tool", toolFolders, toolsEntry],
    ["memory", memoryFiles, memoryEntry],
    ["protocol", protocolNames, protocolsEntry],
  ])("every %s", (_what, files, entry) => {
    expect(files.length).toBeGreaterThan(2);
    expect(files.map(functionName).filter((name) => !(name in entry))).toEqual([]);
  });
});
