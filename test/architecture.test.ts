import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));
const map = readFileSync(join(project, "docs/architecture.md"), "utf8");
const files = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.m?ts$/.test(file))
  .sort();

interface Import {
  readonly from: string;
  readonly to: string;
}

/** What the files of `src/` take from one another. */
const imports = files.flatMap((from): Import[] => {
  const text = readFileSync(join(project, "src", from), "utf8");
  return [...text.matchAll(/(?:\bfrom |\bimport\(|^import )"(\.[^"]+)\.js"/gm)].map(([, path = ""]) => ({
    from,
    to: `${posix.join(posix.dirname(from), path)}.ts`,
  }));
});

/** The first circle in a graph, as the places it passes; undefined when there is none. */
function circle(edges: readonly { readonly from: string; readonly to: string }[]): string[] | undefined {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const visit = (place: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(place)) return [...path.slice(path.indexOf(place)), place];
    if (done.has(place)) return undefined;
    for (const to of next.get(place) ?? []) {
      const found = visit(to, [...path, place]);
      if (found) return found;
    }
    done.add(place);
    return undefined;
  };
  for (const place of next.keys()) {
    const found = visit(place, []);
    if (found) return found;
  }
  return undefined;
}

/** The folders of `src/` in which others stand side by side: "" is `src/` itself. */
const folders = new Set(files.flatMap(foldersAbove));

function foldersAbove(file: string): string[] {
  const folder = dirname(file);
  return folder === "." ? [""] : [folder, ...foldersAbove(folder)];
}

/** The folders that the map names, as paths. */
function mappedFolders(): string[] {
  const [, block = ""] = /```\nsrc\/\n([\s\S]*?)```/.exec(map) ?? [];
  let path: string[] = [];
  return block.split("\n").flatMap((line) => {
    const [, indent = "", folder] = /^( *)([\w-]+)\/ +\S/.exec(line) ?? [];
    if (folder === undefined) return [];
    path = [...path.slice(0, indent.length / 2 - 1), folder];
    return [path.join("/")];
  });
}

/** The words of what stands in a place of its own. In the core only what is stored has them: `state/` and `run/events.ts`. */
const placesOutsideTheCore: readonly [place: string, words: RegExp][] = [
  ["agent/prompts/", /prompt.?writer|promptsOf|written.?again/i],
  ["prompts/", /shown.?passages|shortenToFit|longest.?cut|correctionMessages|promptMessages/i],
  ["middleware/citations/", /citations? (?:in|of)|cited.?sources|number(?:ed)?.?sources|renumber/i],
  ["middleware/reasoning/", /reasoning.?(?:in\b|event|reader|delta)/i],
  ["middleware/provider-calls", /provider.?(?:event|call)/i],
  ["middleware/tracing/", /tracing|\btraced|\bspans?\b|telemetry/i],
  ["middleware/approvals/", /approval|\bapprove\b|decisionTypes/i],
  [
    "middleware/limits/",
    /max(?:Unreadable|ToolCalls|ParallelCalls|ModelCalls|Tokens|Dollars|TurnMs)|isForced|stopWhen|repeatNote|invalid-output/,
  ],
  ["middleware/unknown-ends.ts", /may not be whole|unknown.?end/i],
  ["middleware/copied-calls.ts", /copied.?calls|copies(?:In|\.has)/i],
  ["middleware/output/", /output-delta|OutputFormat/],
];

describe("the house", () => {
  it("has one file of a name in core, agent, threads and server", () => {
    const ours = /^(?:core|agent|threads|server)\/(?:.*\/)?(?!index\.ts)([^/]+)$/;
    const names = files.flatMap((file) => ours.exec(file)?.[1] ?? []);
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  it("has imports to check, and all of them resolve to files", () => {
    expect(imports.length).toBeGreaterThan(600);
    expect(imports.filter(({ to }) => !files.includes(to) && !files.includes(to.replace(/\.ts$/, ".d.ts")))).toEqual(
      [],
    );
  });

  it("has each file that the benches load", () => {
    const names = readdirSync(join(project, "bench"), { recursive: true, encoding: "utf8" });
    const benches = names.filter((name) => name.endsWith(".mjs") && !name.includes("node_modules"));
    const loaded = benches.flatMap((name) => {
      const text = readFileSync(join(project, "bench", name), "utf8");
      return [...text.matchAll(/from "[./]+\/dist\/(?!bundle|programs)([^"]+)\.m?js"/g)].map(([, path = ""]) => path);
    });
    expect(loaded.length).toBeGreaterThan(30);
    expect(loaded.filter((path) => !files.some((file) => file.replace(/\.m?ts$/, "") === path))).toEqual([]);
  });

  it("has no import cycle of files", () => {
    expect(circle(imports)).toBeUndefined();
  });

  it.each([...folders].sort())("has no import cycle among the files and folders of src/%s", (folder) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const child = (file: string) => prefix + (file.slice(prefix.length).split("/")[0] ?? "");
    const inside = imports.filter(({ from, to }) => from.startsWith(prefix) && to.startsWith(prefix));
    expect(circle(inside.map(({ from, to }) => ({ from: child(from), to: child(to) })))).toBeUndefined();
  });

  it("has no import from a higher layer, or across a layer", () => {
    const [, order = ""] = /Imports point down: (.*)\.\n/.exec(map) ?? [];
    const floors = order.split("→").map((floor) => [...floor.matchAll(/`([\w-]+)`/g)].map(([, room = ""]) => room));
    const floorOf = (file: string) => floors.findIndex((rooms) => rooms.includes(file.split("/")[0] ?? ""));
    const room = (file: string) => file.split("/")[0];
    expect([...floors.flat(), "index.ts"].sort()).toEqual(readdirSync(join(project, "src")).sort());
    const wrong = imports.filter(
      ({ from, to }) => from !== "index.ts" && room(from) !== room(to) && floorOf(from) >= floorOf(to),
    );
    expect(wrong).toEqual([]);
  });

  it("has a core that imports only the rooms below it beside packages", () => {
    const below = /^(?:core|provider-forms|content|tool-inputs|langgraph|base)\//;
    const known = imports.filter(({ from, to }) => from.startsWith("core/") && !below.test(to));
    expect(known.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual([]);
  });

  it("has one door by which the server comes to threads", () => {
    const doors = imports.filter(({ from, to }) => from.startsWith("server/") && to.startsWith("threads/"));
    expect(doors.length).toBeGreaterThan(10);
    expect([...new Set(doors.map(({ to }) => to))]).toEqual(["threads/runs/index.ts"]);
  });

  it.each(placesOutsideTheCore)("has no word of %s in the core", (place, words) => {
    const core = files.filter((file) => /^core\/(?!state\/|run\/events\.ts)/.test(file));
    const having = (file: string) => words.test(readFileSync(join(project, "src", file), "utf8"));
    expect(core.filter(having)).toEqual([]);
    expect(files.filter((file) => file.startsWith(place)).some(having)).toBe(true);
  });

  it("has a test of an agent made of the core and its graph alone", () => {
    const text = readFileSync(join(project, "test/core/agent.test.ts"), "utf8");
    const taken = [...text.matchAll(/"\.\.\/([^"]+)"/g)].map(([, path = ""]) => path);
    expect(taken).toContain("../src/graph/compile-agent.js");
    expect(taken.filter((path) => !/^\.\.\/src\/(?:core|graph)\//.test(path))).toEqual([]);
  });

  it("has a sentence in the map for each folder", () => {
    expect(mappedFolders().sort()).toEqual([...folders].filter((folder) => folder !== "").sort());
  });

  it("finds in the core each name in the page's section on a turn", () => {
    const [, way = ""] = /## What happens in a turn\n([\s\S]*?)\n## /.exec(map) ?? [];
    const named = [...way.matchAll(/(?<![\w/.])(?!LangGraph)[A-Za-z]+[a-z][A-Z][A-Za-z]*/g)].map(([name]) => name);
    const core = files.filter((file) => /^(?:core|graph)\//.test(file));
    const text = core.map((file) => readFileSync(join(project, "src", file), "utf8")).join("\n");
    expect(named).toContain("runNode");
    const isThere = (name: string) =>
      new RegExp(`^export .*\\b(?:function|class|const|interface) ${name}\\b`, "m").test(text);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  it("has no test folder without its folder in src/", () => {
    const tested = readdirSync(join(project, "test"), { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".test.ts") && !entry.parentPath.includes("node_modules"))
      .map(({ parentPath }) => posix.relative(join(project, "test"), parentPath).replaceAll("\\", "/"));
    const known = new Set([...folders, "agent/whole", "changed", "graphs", "helpers"]);
    expect(tested.filter((folder) => !known.has(folder))).toEqual([]);
  });
});
