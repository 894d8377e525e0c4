import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));
const map = readFileSync(join(project, "docs/architecture.md"), "utf8");
const files = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"))
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

/** The folders and files that the map names, as paths. */
function mappedFiles(): string[] {
  const [, block = ""] = /```\nsrc\/\n([\s\S]*?)```/.exec(map) ?? [];
  const named: string[] = [];
  let path: string[] = [];
  for (const line of block.split("\n").filter((line) => line.trim() !== "")) {
    const depth = (line.length - line.trimStart().length) / 2 - 1;
    path = path.slice(0, depth);
    const folder = /^ *([\w-]+)\/ /.exec(line)?.[1];
    if (folder !== undefined) path = [...path, folder];
    else for (const name of line.split(",")) if (name.trim() !== "") named.push([...path, name.trim()].join("/"));
  }
  return named;
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

  it("has no node that knows a protocol but by its interface", () => {
    const outside = [
      "agent/agent-dependencies.ts",
      "agent/agent-protocols.ts",
      "agent/options.ts",
      "agent/output/output-format.ts",
      "agent/output/output-protocol.ts",
      "agent/output/output-request.ts",
    ];
    const known = imports.filter(
      ({ from, to }) => /^(?:agent|turn|model)\//.test(from) && /^protocols\/(?!protocol\.ts)/.test(to),
    );
    expect([...new Set(known.map(({ from }) => from))].sort()).toEqual(outside);
  });

  it("is mapped whole, file by file", () => {
    expect(mappedFiles().sort()).toEqual(files.map((file) => file.replace(/(?:\.d)?\.ts$/, "")).sort());
  });

  it("has a test folder for no folder that there is not", () => {
    const tested = readdirSync(join(project, "test"), { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".test.ts") && !entry.parentPath.includes("node_modules"))
      .map(({ parentPath }) => posix.relative(join(project, "test"), parentPath).replaceAll("\\", "/"));
    const known = new Set([...folders, "graphs", "helpers"]);
    expect(tested.filter((folder) => !known.has(folder))).toEqual([]);
  });
});
