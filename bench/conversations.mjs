// Compares what models are sent in 60 conversations. Run `npm run bench:conversations` in the project's folder.
import { parseArgs } from "node:util";
import { contestantsOf } from "./conversations/contestants.mjs";
import { conversations } from "./conversations/conversations.mjs";
import { measure } from "./conversations/measure.mjs";
import { printTable } from "./conversations/table.mjs";

const { values } = parseArgs({ options: { before: { type: "string" }, show: { type: "boolean", default: false } } });

const rows = [];
for (const contestant of await contestantsOf(values.before)) {
  const results = [];
  for (const conversation of conversations) results.push(await measure(contestant, conversation));
  rows.push({ name: contestant.name, results });
  if (values.show) {
    for (const { id, missing } of results)
      for (const text of missing) console.log(`${contestant.name}, ${id}: ${text}`);
  }
}
printTable(rows);
