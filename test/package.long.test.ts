import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));
const manifest: {
  exports: Record<string, string | Record<string, string>>;
  peerDependencies: Record<string, string>;
} = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

describe("a bundle", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "glassloop-bundle-"));
    await mkdir(join(folder, "node_modules"));
    symlinkSync(project, join(folder, "node_modules/glassloop"), "junction");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The packages from outside, and the sources of ours, that a program's bundle loads. */
  async function loadedBy(program: string): Promise<{ packages: string[]; files: string[] }> {
    const input = join(folder, "program.mjs");
    writeFileSync(input, program);
    const build = await rolldown({
      input,
      platform: "node",
      external: (id) => !id.startsWith(".") && !id.startsWith("/") && !id.startsWith("glassloop"),
    });
    const { output } = await build.generate({ format: "esm" });
    const all = output.flatMap((part) => (part.type === "chunk" ? [part] : []));
    // The bundler also writes chunks to which nothing that it kept leads.
    const chunks = all.filter(({ isEntry }) => isEntry);
    for (const chunk of chunks) {
      const next = [...chunk.imports, ...chunk.dynamicImports];
      chunks.push(...all.filter((other) => next.includes(other.fileName) && !chunks.includes(other)));
    }
    return {
      packages: [...new Set(chunks.flatMap((chunk) => chunk.imports))].filter(
        (name) => !name.startsWith("node:") && !chunks.some(({ fileName }) => fileName === name),
      ),
      files: chunks.flatMap((chunk) => chunk.moduleIds).flatMap(sourcesOf),
    };
  }

  /** The files of `src/` in a file of our own bundle, as its source map says. */
  function sourcesOf(path: string): string[] {
    if (!path.includes("/dist/bundle/") || !existsSync(`${path}.map`)) return [];
    const { sources }: { sources: string[] } = JSON.parse(readFileSync(`${path}.map`, "utf8"));
    return sources.map((source) => source.replace(/^.*\/src\//, ""));
  }

  it.each(["glassloop/tools", "glassloop"])(
    "with the calculator of %s contains no LangGraph and no database",
    async (entry) => {
      const { packages, files } = await loadedBy(
        `import { calculator } from "${entry}"; console.log(calculator().name);`,
      );
      expect(files).toContain("tools/calculator/calculator.ts");
      expect(packages.filter((name) => !/^(?:@langchain\/core\/tools|zod|mathjs.*)$/.test(name))).toEqual([]);
      expect(files.filter((file) => /^(?:agent|threads|model|protocols)\//.test(file))).toEqual([]);
    },
  );

  it("with threads alone contains no agent", async () => {
    const { packages, files } = await loadedBy(
      'import { openThreads } from "glassloop/threads"; await openThreads("memory:");',
    );
    expect(files).toContain("threads/open.ts");
    expect(files.filter((file) => /^(?:agent|model|tools|protocols)\//.test(file))).toEqual([]);
    expect(packages).not.toContain("@langchain/langgraph");
  });
});

describe("the package", () => {
  let packed: string[] = [];
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)("tar", ["tzf", join(project, "dist/glassloop.tgz")]);
    packed = stdout
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""));
  });

  it("allows LangGraph from the lowest tested release to the next major, as its first run tries what it needs", () => {
    const tried = (which: string): string => {
      const lock = readFileSync(join(project, `test/versions/${which}/package-lock.json`), "utf8");
      return JSON.parse(lock).packages["node_modules/@langchain/langgraph"].version;
    };
    const range = `>=${tried("lowest")} <${Number.parseInt(tried("newest"), 10) + 1}`;
    expect(manifest.peerDependencies["@langchain/langgraph"]).toBe(range);
  });

  it("contains every entry that it exports", () => {
    const targets = Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((target) => !packed.includes(target.replace(/^\.\//, "")))).toEqual([]);
  });

  it("contains the page, with all that it loads and the licences of its libraries, and no source of it", () => {
    const page = packed.filter((path) => path.startsWith("dist/page/"));
    const html = readFileSync(join(project, "dist/page/index.html"), "utf8");
    const loaded = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path]) => `dist/page/${path}`);
    expect(loaded.length).toBeGreaterThan(2);
    expect(page).toEqual(expect.arrayContaining([...loaded, "dist/page/LICENSES.md"]));
    expect(page.filter((path) => !/\.(?:html|js|css|svg|md)$/.test(path))).toEqual([]);
  });

  it("contains every file that its documents link to", () => {
    const documents = packed.filter((path) => path.endsWith(".md") && !path.startsWith("knowledge/"));
    const broken = documents.flatMap((document) =>
      [...readFileSync(join(project, document), "utf8").matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map(([, link = ""]) => posix.join(posix.dirname(document), link).replace(/\/$/, ""))
        .filter((path) => !packed.some((file) => file === path || file.startsWith(`${path}/`)))
        .map((path) => `${document}: ${path}`),
    );
    expect(documents).toContain("README.md");
    expect(broken).toEqual([]);
  });

  it("refers only to source maps that exist, and contains no unwanted files", () => {
    const scripts = packed.filter((path) => path.endsWith(".js"));
    const pointing = scripts.filter((path) => {
      const [, map] = /sourceMappingURL=(\S+)/.exec(readFileSync(join(project, path), "utf8")) ?? [];
      return map !== undefined && !existsSync(join(project, dirname(path), map));
    });
    expect(scripts.length).toBeGreaterThan(100);
    expect(pointing).toEqual([]);
    const wanted =
      /^(?:dist|docs|knowledge|bench\/README\.md|examples\/(?:[\w-]+\.ts|README\.md|compose\.yaml)$|[A-Z]+(?:\.md)?$|package\.json)/;
    expect(packed.filter((path) => !wanted.test(path))).toEqual([]);
  });
});
