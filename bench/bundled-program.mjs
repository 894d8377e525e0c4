// Programs that tests and benches start again and again, each in one file: hundreds of files take three times as long to load.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const project = fileURLToPath(new URL("..", import.meta.url));
const made = new Map();

/**
 * Bundles a program with its libraries, native code aside.
 *
 * @param {URL} program
 * @returns {Promise<string>} The path of the bundle, in `dist/programs/`.
 */
export function bundledProgram(program) {
  const path = fileURLToPath(program);
  if (!made.has(path)) made.set(path, bundle(path));
  return made.get(path);
}

async function bundle(path) {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // Libraries that are no ES modules call it.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    external: ["@photostructure/sqlite", "pg", "sqlite-vec"],
    write: false,
  });
  const folder = join(project, "dist/programs");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, path.slice(project.length).replaceAll(/[\\/]/g, "-").replace(/ts$/, "mjs"));
  // Another process may start the program meanwhile.
  const written = `${file}.${process.pid}`;
  writeFileSync(written, outputFiles[0].contents);
  renameSync(written, file);
  return file;
}
