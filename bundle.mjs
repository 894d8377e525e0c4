// Bundles what the package holds: its entries, its command, and the programs of its worker threads. Libraries that are no
// dependency of the package become part of it, with their licences.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

const { dependencies, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const installed = Object.keys({ ...dependencies, ...peerDependencies });
// The command's bundle contains its libraries, too: few large files load faster than hundreds of small ones. Native code stays
// outside, and packages of which the user has a copy that must be the only one.
const outsideCommand = [
  "@hono/node-server",
  "@modelcontextprotocol/sdk",
  "@opentelemetry/api",
  "@photostructure/sqlite",
  "hono",
  "pg",
  "sqlite-vec",
  "tsx",
];
const rooms = ["agent", "documents", "memory", "model", "protocols", "server", "testing", "threads", "tools", "ui"];
// A tool alone loads nothing that other tools need.
const tools = {
  "ask-human": "src/tools/ask-human.ts",
  calculator: "src/tools/calculator/calculator.ts",
  "document-search": "src/tools/document-search/document-search.ts",
  "fetch-page": "src/tools/fetch-page/fetch-page.ts",
  "mcp-tools": "src/tools/mcp/mcp-tools.ts",
  "web-search": "src/tools/web-search/web-search.ts",
};
const workers = [
  "src/sqlite/sqlite-worker.mts",
  "src/documents/index/index-worker.mts",
  "src/documents/reading/document-worker.mts",
  "src/tools/fetch-page/page-worker.mts",
];

rmSync("dist/bundle", { recursive: true, force: true });
const entries = Object.fromEntries(rooms.map((room) => [room, `src/${room}/index.ts`]));
const bundled = await bundle({ index: "src/index.ts", ...entries, ...tools }, { sourcemap: true });
bundled.push(...(await bundle("src/cli/bin.ts", { dir: "dist/bundle/cli" }, outsideCommand)));
// A bundler that copies a worker's program copies one file, and to a folder that may be of another type.
for (const worker of workers)
  bundled.push(...(await bundle(worker, { codeSplitting: false, entryFileNames: "[name].mjs" })));
writeFileSync("dist/bundle/LICENSES.txt", licences(bundled));

/** Writes a bundle without the packages `outside`. Returns the paths of all that is in it. */
async function bundle(input, output, outside = installed) {
  const build = await rolldown({
    input,
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: "node",
    transform: { target: "node20.19" },
  });
  const written = await build.write({ dir: "dist/bundle", chunkFileNames: "[name]-[hash].js", ...output });
  return written.output.flatMap((chunk) => chunk.moduleIds ?? []);
}

/** The licences of the libraries that are in the bundles. */
function licences(paths) {
  const folders = new Set(paths.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    return [`${name} ${version} (${license})`, ...files.map((file) => readFileSync(join(folder, file), "utf8"))];
  });
  return `${texts.map((text) => text.join("\n\n")).join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
