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
const allImports = files.flatMap((from): Import[] => {
  const text = readFileSync(join(project, "src", from), "utf8");
  return [...text.matchAll(/(?:\bfrom |\bimport\(|^import )"(\.[^"]+)\.js"/gm)].map(([, path = ""]) => ({
    from,
    to: `${posix.join(posix.dirname(from), path)}.ts`,
  }));
});

/** What the core still takes from rooms above it. */
const doors: readonly string[] = [
  "core/graph/compile-agent.ts -> agent/options.ts",
  "core/graph/stopped-run.ts -> threads/guard/hold.ts",
  "core/graph/thread-graph.ts -> threads/guard/hold.ts",
  "core/graph/thread-graph.ts -> tracing/gen-ai.ts",
  "core/graph/thread-graph.ts -> tracing/spans.ts",
  "core/limits/on-calls.ts -> model/prices.ts",
  "core/limits/turn-limits.ts -> model/prices.ts",
  "core/model/ask-model.ts -> model/model-errors.ts",
  "core/model/ask-model.ts -> tracing/gen-ai.ts",
  "core/model/model-call.ts -> model/model-errors.ts",
  "core/model/model-call.ts -> model/models.ts",
  "core/model/model-call.ts -> tracing/gen-ai.ts",
  "core/model/model-call.ts -> tracing/spans.ts",
  "core/model/named-model.ts -> model/models.ts",
  "core/model/named-model.ts -> model/readable-model.ts",
  "core/model/retries.ts -> model/model-errors.ts",
  "core/nodes/act.ts -> citations/numbered-sources.ts",
  "core/nodes/acting/run-action.ts -> tracing/gen-ai.ts",
  "core/nodes/acting/run-action.ts -> tracing/spans.ts",
  "core/nodes/acting/run-actions.ts -> citations/numbered-sources.ts",
  "core/nodes/acting/run-actions.ts -> threads/guard/hold.ts",
  "core/nodes/answer-citations.ts -> citations/citation-reader.ts",
  "core/nodes/dependencies.ts -> agent/output/output-format.ts",
  "core/nodes/plan.ts -> model/constrained-decoding.ts",
  "core/nodes/plan.ts -> model/model-errors.ts",
  "core/nodes/plan.ts -> model/models.ts",
  "core/nodes/planning/ask-for-step.ts -> agent/output/output-request.ts",
  "core/nodes/planning/ask-for-step.ts -> model/model-errors.ts",
  "core/nodes/planning/prepared-call.ts -> agent/output/output-request.ts",
  "core/nodes/planning/prepared-call.ts -> model/models.ts",
  "core/nodes/planning/prompt-view.ts -> agent/output/output-request.ts",
  "core/nodes/reply-stream.ts -> citations/citation-reader.ts",
  "core/nodes/told.ts -> citations/check-citations.ts",
  "core/nodes/told.ts -> tracing/gen-ai.ts",
  "core/nodes/told.ts -> tracing/spans.ts",
  "core/turns/continue-turn.ts -> agent/create-agent.ts",
  "core/turns/go-back.ts -> agent/create-agent.ts",
  "core/turns/stream-turn.ts -> agent/create-agent.ts",
  "core/turns/turn-log.ts -> agent/create-agent.ts",
];
/** What files take from one another, without {@link doors}. */
const imports = allImports.filter(({ from, to }) => !doors.includes(`${from} -> ${to}`));

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

/** The folders that the map of the rooms names, as paths. */
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

describe("the house", () => {
  it("has imports to look at, and files that they lead to", () => {
    expect(imports.length).toBeGreaterThan(600);
    expect(imports.filter(({ to }) => !files.includes(to) && !files.includes(to.replace(/\.ts$/, ".d.ts")))).toEqual(
      [],
    );
  });

  it("has no circle of files", () => {
    expect(circle(imports)).toBeUndefined();
  });

  it.each([...folders].sort())("has no circle among what stands side by side in src/%s", (folder) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const child = (file: string) => prefix + (file.slice(prefix.length).split("/")[0] ?? "");
    const inside = imports.filter(({ from, to }) => from.startsWith(prefix) && to.startsWith(prefix));
    expect(circle(inside.map(({ from, to }) => ({ from: child(from), to: child(to) })))).toBeUndefined();
  });

  it("has no import that runs up, or across a floor", () => {
    const [, order = ""] = /Imports point down: (.*)\.\n/.exec(map) ?? [];
    const floors = order.split("→").map((floor) => [...floor.matchAll(/`(\w+)`/g)].map(([, room = ""]) => room));
    const floorOf = (file: string) => floors.findIndex((rooms) => rooms.includes(file.split("/")[0] ?? ""));
    const room = (file: string) => file.split("/")[0];
    expect([...floors.flat(), "index.ts"].sort()).toEqual(readdirSync(join(project, "src")).sort());
    const wrong = imports.filter(
      ({ from, to }) => from !== "index.ts" && room(from) !== room(to) && floorOf(from) >= floorOf(to),
    );
    expect(wrong).toEqual([]);
  });

  it("has a core that knows only base/ and langgraph/ beside the packages", () => {
    const known = allImports.filter(
      ({ from, to }) => from.startsWith("core/") && !/^(?:core|base|langgraph)\//.test(to),
    );
    expect(known.map(({ from, to }) => `${from} -> ${to}`).sort()).toEqual(doors);
  });

  it("has a sentence in the map for each folder", () => {
    expect(mappedFolders().sort()).toEqual([...folders].filter((folder) => folder !== "").sort());
  });

  it("has a test folder for no folder that there is not", () => {
    const tested = readdirSync(join(project, "test"), { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".test.ts") && !entry.parentPath.includes("node_modules"))
      .map(({ parentPath }) => posix.relative(join(project, "test"), parentPath).replaceAll("\\", "/"));
    const known = new Set([...folders, "graphs", "helpers"]);
    expect(tested.filter((folder) => !known.has(folder))).toEqual([]);
  });
});
