// Runs an example by its name. Node 20 reads no TypeScript, so the types are taken out of the file first.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { transformSync } from "rolldown/utils";

const folder = new URL(".", import.meta.url);
const examples = readdirSync(folder).filter((file) => file.endsWith(".ts"));
const name = process.argv[2];
if (!examples.includes(`${name}.ts`)) {
  console.error(`Name one of the examples, such as npm run example 01-ask:\n${examples.join("\n")}`);
  process.exit(2);
}
const { code } = transformSync(`${name}.ts`, readFileSync(new URL(`${name}.ts`, folder), "utf8"));
const built = new URL(`.built/${name}.js`, folder);
mkdirSync(new URL(".", built), { recursive: true });
writeFileSync(built, code);
await import(built.href);
