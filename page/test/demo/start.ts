/** Starts the demo for a person: `npx tsx page/test/demo/start.ts [--pace <ms>] [--empty] [options of glassloop serve]`. */
import { parseArgs } from "node:util";
import { startDemo } from "./demo.js";
import { makeThreads } from "./threads.js";

const { values, tokens } = parseArgs({
  options: { pace: { type: "string", default: "40" }, empty: { type: "boolean", default: false } },
  strict: false,
  tokens: true,
});
const own = new Set(["pace", "empty"]);
const options = tokens
  .filter((token) => token.kind === "option")
  .filter(({ name }) => !own.has(name))
  .flatMap(({ rawName, value }) => [rawName, ...(value === undefined ? [] : [value])]);

const demo = await startDemo({ pace: Number(values.pace), options, onOutput: (text) => process.stderr.write(text) });
console.log(demo.url);
if (!values.empty) {
  console.log("Making threads …");
  for (const [name, id] of Object.entries(await makeThreads(demo.url)))
    console.log(`${demo.url}#/threads/${id}  ${name}`);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, async () => {
    await demo[Symbol.asyncDispose]();
    process.exit(0);
  });
}
