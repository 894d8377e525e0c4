import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workingFolder } from "./run-cli.js";

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** A module hook that notes which modules are loaded, in the file that LOADED names. */
const hook = dataUrl(`
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\n");
    return next(url, context);
  }`);
const recorder = dataUrl(`import { register } from "node:module"; register(${JSON.stringify(hook)});`);

/** The packages that a process of the command line imports, alone and as parts of the bundle. */
async function packagesOf(args: readonly string[]): Promise<Set<string>> {
  await using folder = await workingFolder();
  const loaded = join(folder.path, "loaded.txt");
  await folder.run(args, { env: { NODE_OPTIONS: `--import ${recorder}`, LOADED: loaded } });
  const urls = (await readFile(loaded, "utf8")).split("\n").filter((url) => url.startsWith("file:"));
  const files = await Promise.all(urls.map((url) => readFile(new URL(url), "utf8")));
  // The bundler names the file above each part that is an ES module.
  const parts = files.flatMap((file) => file.match(/^\/\/.*\/?node_modules\/.*/gm) ?? []);
  const names = [...urls, ...parts].flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return new Set(names);
}

test.concurrent.for(["ask --help", "ask --nonsense"])(
  "glassloop %s loads only the option parser, so that it starts quickly",
  async (command) => {
    expect(await packagesOf(command.split(" "))).toEqual(new Set(["commander"]));
  },
);

test.concurrent("glassloop threads list loads neither LangGraph nor a model", async () => {
  const packages = await packagesOf(["threads", "list", "--db", "memory:"]);
  expect(packages).toContain("zod");
  for (const name of ["@langchain/langgraph", "@langchain/openai", "mathjs"]) expect(packages).not.toContain(name);
});
