// Gives the parts of the agent what an attacker would give them. Each section has aims. bench/README.md describes them.
import { parseArgs } from "node:util";
import { generator } from "./hostile/generator.mjs";
import { reporter } from "./hostile/report.mjs";
import { sections } from "./hostile/sections.mjs";

const { values: given } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: Object.keys(sections) },
    seed: { type: "string", default: "1" },
    count: { type: "string" },
  },
});

const unknown = given.only.find((name) => !Object.hasOwn(sections, name));
if (unknown !== undefined) {
  console.error(`There is no section "${unknown}". Use --only with one of ${Object.keys(sections).join(", ")}.`);
  process.exit(2);
}

const missed = [];
for (const name of given.only) {
  console.log(`${name} (seed ${given.seed})`);
  const report = reporter(name);
  // Each section has chance of its own, so that it makes the same alone.
  await sections[name](generator(Number(given.seed)), report, given.count && Number(given.count));
  missed.push(...report.missed);
}
for (const line of missed) console.error(line);
process.exitCode = missed.length > 0 ? 1 : 0;
