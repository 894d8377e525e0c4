import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { rolldown } from "rolldown";
import ts from "typescript";
import { build as vite } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const project = fileURLToPath(new URL("..", import.meta.url));
const manifest: {
  version: string;
  bin: { glassloop: string };
  exports: object;
  dependencies: object;
  peerDependencies: object;
  peerDependenciesMeta: object;
} = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** An agent, a thread on SQLite and a search of documents, one of which needs a worker with a library. */
const program = `
  import { calculator, createAgent, documentSearch, mcpTools, openThreads } from "glassloop";
  const threads = await openThreads("sqlite:threads.db");
  const search = documentSearch({ folder: "documents", index: "index.db" });
  const agent = createAgent({ model: "offline", tools: [calculator(), search], checkpointer: threads.checkpointer });
  const { answer } = await agent.invoke({ messages: "What is 15% of 240?" }, { configurable: { thread_id: "bundled" } });
  const found = await search.invoke({ query: "kettle" });
  const missing = await mcpTools({ servers: {} }).catch(({ code, needed }) => [code, needed]);
  console.log(JSON.stringify({ answer, threads: (await threads.list()).map(({ id }) => id), found, missing }));
  await threads.close();
  await search.close();`;

let folder = "";
let entry = "";
/** A project with Glassloop as it is packed, and what it needs. No optional package is installed. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "glassloop-bundles-"));
  entry = join(folder, "program.mjs");
  const installed = join(folder, "node_modules");
  mkdirSync(join(installed, "glassloop"), { recursive: true });
  await run("tar", [
    "xzf",
    join(project, "dist/glassloop.tgz"),
    "-C",
    join(installed, "glassloop"),
    "--strip-components=1",
  ]);
  const optional = new Set(Object.keys(manifest.peerDependenciesMeta));
  const needed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  for (const name of [...needed.filter((name) => !optional.has(name)), "@types/node"]) {
    mkdirSync(dirname(join(installed, name)), { recursive: true });
    symlinkSync(join(project, "node_modules", name), join(installed, name), "junction");
  }
  writeFileSync(entry, program);
  mkdirSync(join(folder, "documents"));
  writeFileSync(
    join(folder, "documents/kettle.html"),
    "<title>Kettles</title><h1>Repair</h1><p>A kettle is descaled.</p>",
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Packages of Node.js's older kind ask for `require`, which a module does not have. */
const require = 'import { createRequire as make } from "node:module"; const require = make(import.meta.url);';

function viteBuild(outfile: string, ssr = {}) {
  const rolldownOptions = { output: { entryFileNames: "bundle.mjs" } };
  return vite({
    root: folder,
    logLevel: "error",
    ssr,
    build: { ssr: entry, outDir: dirname(outfile), rolldownOptions },
  });
}

const bundlers = {
  esbuild: (outfile: string) =>
    esbuild({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", banner: { js: require } }),
  "Vite's build for servers, with all packages in it": (outfile: string) => viteBuild(outfile, { noExternal: true }),
  "Vite's build for servers": (outfile: string) => viteBuild(outfile),
  rolldown: async (outfile: string) => {
    const bundle = await rolldown({ input: entry, platform: "node", logLevel: "silent" });
    await bundle.write({ dir: dirname(outfile), entryFileNames: "bundle.mjs" });
  },
};

describe("a bundle of a program runs an agent, a thread on SQLite and a search of documents", () => {
  it.each(Object.entries(bundlers))("by %s", async (name, bundle) => {
    const place = join(folder, name.replace(/\W+/g, "-"));
    const outfile = join(place, "bundle.mjs");
    await bundle(outfile);
    cpSync(join(folder, "documents"), join(place, "documents"), { recursive: true });
    const { stdout } = await run(process.execPath, [outfile], { cwd: place });
    expect(JSON.parse(stdout)).toEqual({
      answer: "15% of 240 is 36.",
      threads: ["bundled"],
      found: expect.stringContaining("A kettle is descaled."),
      missing: ["missing-package", "@modelcontextprotocol/sdk"],
    });
  });
});

it("the published command asks, keeps a thread and answers from documents", async () => {
  const command = join(folder, "node_modules/glassloop", manifest.bin.glassloop);
  const { PATH, SystemRoot } = process.env;
  const glassloop = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [command, ...args], { cwd: folder, env: { PATH, SystemRoot } });
    return stdout;
  };
  expect(await glassloop("--version")).toBe(`${manifest.version}\n`);
  expect(await glassloop("ask", "--quiet", "--thread", "sums", "What is 15% of 240?")).toBe("15% of 240 is 36.\n");
  expect(await glassloop("threads", "show", "sums")).toContain("15% of 240 is 36.");
  expect(await glassloop("docs", "search", "documents", "kettle")).toContain("A kettle is descaled.");
});

it("a stack trace names the sources where source maps are on", async () => {
  const failing = 'import { createAgent } from "glassloop/agent"; createAgent({ model: 1 });';
  const failed = run(process.execPath, ["--enable-source-maps", "--input-type=module", "-e", failing], { cwd: folder });
  await expect(failed).rejects.toThrow(/src\/agent\/create-agent\.ts:\d+/);
});

it("the declarations of all entries compile without skipLibCheck, and need no optional package", () => {
  const entries = Object.keys(manifest.exports).filter((name) => /^\.(?:\/\w+)?$/.test(name));
  const file = join(folder, "types.mts");
  writeFileSync(
    file,
    entries.map((name, index) => `export * as e${index} from "glassloop${name.slice(1)}";`).join("\n"),
  );
  const compiler = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    types: ["node"],
    typeRoots: [join(project, "node_modules/@types")],
    strict: true,
    noEmit: true,
  });
  const ours = join(folder, "node_modules/glassloop");
  const failures = ts
    .getPreEmitDiagnostics(compiler)
    .filter(
      (failure) =>
        failure.file === undefined || failure.file.fileName === file || failure.file.fileName.startsWith(ours),
    )
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  expect(entries.length).toBeGreaterThan(7);
  expect(failures).toEqual([]);
});
