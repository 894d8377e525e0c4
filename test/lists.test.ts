import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { ModelCalls } from "../src/agent/model-calls.js";
import { type AgentOptions, agentOptionsSchema } from "../src/agent/options.js";
import type { TurnLimits } from "../src/agent/turn-limits.js";
import { nodeNames } from "../src/core/nodes/node-names.js";
import { turnEventSchema } from "../src/core/run/events.js";
import { stopReasonSchema } from "../src/core/state/decision.js";
import { quietPurposes } from "../src/core/state/quiet-call.js";
import { AgentState } from "../src/core/state/state.js";
import { readableEndings } from "../src/documents/reading/document-formats.js";
import * as memoryEntry from "../src/memory/index.js";
import { providerNames } from "../src/model/models.js";
import * as protocolsEntry from "../src/protocols/index.js";
import { protocolChoices, protocolNames } from "../src/protocols/names.js";
import { createRetrievalAgent } from "../src/retrieval/create-retrieval-agent.js";
import { type RetrievalOptions, retrievalOptionsSchema } from "../src/retrieval/options.js";
import { documentSearch } from "../src/tools/document-search/document-search.js";
import * as toolsEntry from "../src/tools/index.js";
import { toolNames } from "../src/tools/named-tools.js";
import { searchEngines } from "../src/tools/web-search/engines.js";
import type { WebSearchProvider } from "../src/tools/web-search/web-search.js";
import { checked, event } from "./helpers/turn-events.js";

const readme = readFileSync("README.md", "utf8");
const events = readFileSync("docs/events.md", "utf8");

function markdownIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => (name.endsWith(".md") ? `${folder}/${name}` : []));
}

/** The names by which links know the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = [...readFileSync(page, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The rows of a page's table with a heading, each as the names in its columns. */
function rowsOfTable(heading: string, page: string): string[][][] {
  const [, rows = ""] = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-| ]+\\n((?:\\|.*\\n)+)`, "m").exec(page) ?? [];
  const columns = rows.split("\n").map((row) => row.slice(1).split("|"));
  return columns.map((cells) => cells.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)));
}

it("the page of promises names an existing test for each promise", () => {
  const rows = rowsOfTable("promise", readFileSync("docs/safety.md", "utf8")).slice(0, -1);
  const tests = rows.map(([, files = []]) => files);
  expect(tests.length).toBeGreaterThan(10);
  expect(tests).not.toContainEqual([]);
  expect(tests.flat().filter((file) => !existsSync(file))).toEqual([]);
});

const program = ts.createProgram(["src/base/errors.ts"], { lib: ["lib.es5.d.ts"], types: [] });

/** The texts of a union type of `src/base/errors.ts`. */
function textsOf(name: string): string[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile("src/base/errors.ts");
  const module = file && checker.getSymbolAtLocation(file);
  const symbol = module?.exports?.get(ts.escapeLeadingUnderscores(name));
  const type = symbol && checker.getDeclaredTypeOfSymbol(symbol);
  return type?.isUnion() ? type.types.flatMap((text) => (text.isStringLiteral() ? text.value : [])) : [];
}

const { shape } = agentOptionsSchema;

it.each<[page: string, heading: string, names: readonly string[]]>([
  ["docs/limits.md", "`stopReason`", stopReasonSchema.options],
  ["docs/errors.md", "`code`", textsOf("ErrorCode")],
  ["docs/errors.md", "`kind`", textsOf("ModelErrorKind")],
  ["docs/models.md", "name", protocolChoices],
  ["docs/options.md", "option", Object.keys(shape)],
  ["docs/options.md", "limit", Object.keys(shape.limits.unwrap().shape)],
  ["docs/options.md", "of a model call", Object.keys(shape.modelCalls.unwrap().shape)],
  ["docs/architecture.md", "channel", Object.keys(AgentState.fields)],
  ["docs/documents.md", "files", readableEndings],
])("%s lists every %s, and nothing else", (page, heading, names) => {
  expect(names.length).toBeGreaterThan(3);
  const listed = rowsOfTable(heading, readFileSync(page, "utf8")).flatMap(([first = []]) => first);
  expect(listed.sort()).toEqual([...names].sort());
});

it.each([
  ["docs/command-line.md", "tool of the command line", toolNames],
  ["docs/models.md", "provider of models", providerNames],
  ["docs/events.md", "purpose of a call that is no step", quietPurposes],
  ["docs/tools.md", "tool of the package", Object.keys(toolsEntry).map((name) => `${name}(`)],
  ["docs/options.md", "memory", Object.keys(memoryEntry).map((name) => `${name}(`)],
])("%s names every %s", (file, _what, names) => {
  expect(names.length).toBeGreaterThan(2);
  const page = readFileSync(file, "utf8");
  expect(names.filter((name) => !page.includes(`"${name}`) && !page.includes(`\`${name}`))).toEqual([]);
});

it("the README and its pages link to headings that exist", () => {
  const pages = [
    "README.md",
    "CONTRIBUTING.md",
    "bench/README.md",
    "examples/README.md",
    ...markdownIn("docs"),
    ...markdownIn("docs/decisions"),
  ];
  const links = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)]+))?\)/g)].map(
      ([link, to = "", heading]) => ({
        link: `${page}: ${link}`,
        to: to === "" ? page : join(dirname(page), to),
        heading,
      }),
    ),
  );
  expect(links.length).toBeGreaterThan(100);
  const broken = links.filter(({ to, heading }) => !existsSync(to) || (heading && !anchorsOf(to).includes(heading)));
  expect(broken.map(({ link }) => link)).toEqual([]);
});

it("the README links to every page", () => {
  const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
  expect(pages.filter((name) => !readme.includes(`](docs/${name})`))).toEqual([]);
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

  it("has a valid example of each event", () => {
    for (const row of rows) checked(event(row));
    checked(JSON.parse(/```json\n(.*)\n```/.exec(events)?.[1] ?? ""));
  });
});

it.each([
  ["CONTRIBUTING.md", 20],
  ["docs/architecture.md", 3],
  ["test/versions/langchain.mjs", 10],
  ["test/versions/nodes.mjs", 10],
  ["the decisions", 10],
])("%s names files and folders that exist", (page, least) => {
  const pages = page === "the decisions" ? markdownIn("docs/decisions") : [page];
  const text = pages.map((file) => readFileSync(file, "utf8")).join("\n");
  const paths = [...text.matchAll(/[`"]((?:src|test|docs|graphs|examples|bench)\/[\w./-]*)[`"]/g)];
  expect(paths.length).toBeGreaterThan(least);
  expect(paths.map(([, path = ""]) => path).filter((path) => !existsSync(path))).toEqual([]);
});

describe("the page of retrieval lists", () => {
  const page = readFileSync("docs/retrieval.md", "utf8");
  const ofEveryAgent: readonly string[] = ["rephrase-question", "plan", "parse", "act"];

  it("every step that an option adds", () => {
    const steps = nodeNames.filter((name) => !ofEveryAgent.includes(name));
    const listed = rowsOfTable("option", page).flatMap(([, adds = []]) => adds);
    expect([...new Set(listed)].sort()).toEqual([...steps].sort());
  });

  it("no step that does not exist in a graph", () => {
    const options: readonly Partial<RetrievalOptions>[] = [
      { combine: "map-reduce", route: true, translate: "multi-query", grade: true, check: true },
      { combine: "refine", adaptive: true },
      { combine: "map-rerank" },
      { combine: "stuff" },
    ];
    const retriever = documentSearch({ folder: "knowledge" });
    const graphs = options.map((others) => createRetrievalAgent({ model: "offline", retriever, ...others }));
    const steps = new Set(graphs.flatMap(({ nodes }) => Object.keys(nodes)));
    expect(nodeNames.filter((name) => !ofEveryAgent.includes(name) && !steps.has(name))).toEqual([]);
  });

  it("every option that no other agent has", () => {
    const own = Object.keys(retrievalOptionsSchema.shape).filter((name) => !(name in agentOptionsSchema.shape));
    expect(own.filter((name) => !new RegExp(`\`${name}[:\`]`).test(page))).toEqual([]);
  });
});

describe("an option of an agent", () => {
  it("is an option of a retrieval agent, or is about tools and the form of replies", () => {
    const ofTools = ["tools", "approve", "taint"];
    const ofReplies = ["protocol", "output", "examples"];
    const left = Object.keys(agentOptionsSchema.shape).filter((name) => !(name in retrievalOptionsSchema.shape));
    expect(left.sort()).toEqual([...ofTools, ...ofReplies].sort());
  });

  it("has a type and a check", () => {
    type Checked = z.infer<typeof agentOptionsSchema>;
    expectTypeOf<keyof Checked>().toEqualTypeOf<keyof AgentOptions>();
    expectTypeOf<keyof NonNullable<Checked["limits"]>>().toEqualTypeOf<keyof TurnLimits>();
    expectTypeOf<keyof NonNullable<Checked["modelCalls"]>>().toEqualTypeOf<keyof ModelCalls>();
  });
});

it("a search engine can be chosen, and is on the page of tools", () => {
  expectTypeOf<WebSearchProvider>().toEqualTypeOf<keyof typeof searchEngines>();
  const titles = Object.values(searchEngines).map(({ title }) => title);
  const page = readFileSync("docs/tools.md", "utf8");
  expect(titles.filter((title) => !page.includes(title))).toEqual([]);
});

it("the README names the Nodes that the tests run on", () => {
  const [, nodes = ""] = /const nodes = \{(.*)\}/.exec(readFileSync("test/versions/nodes.mjs", "utf8")) ?? [];
  const majors = [...nodes.matchAll(/"(\d+)\./g)].map(([, major = ""]) => major);
  expect(readme).toContain(`on Node 20, ${majors.slice(0, -1).join(", ")} and ${majors.at(-1)}.`);
});

/** The name of the function that a file exports: `documentSearch` for `document-search`. */
function functionName(file: string): string {
  return file.replace(/\.ts$/, "").replaceAll(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

describe("the package exports", () => {
  const toolFolders = readdirSync("src/tools").filter((name) => existsSync(`src/tools/${name}/${name}.ts`));
  const memoryFiles = readdirSync("src/memory").filter((name) => !["index.ts", "steps-option.ts"].includes(name));

  it.each([
    ["tool", toolFolders, toolsEntry],
    ["memory", memoryFiles, memoryEntry],
    ["protocol", protocolNames, protocolsEntry],
  ])("every %s", (_what, files, entry) => {
    expect(files.length).toBeGreaterThan(2);
    expect(files.map(functionName).filter((name) => !(name in entry))).toEqual([]);
  });
});
