// Measures the server: its throughput beside LangGraph's dev server, and what it costs beside an agent in the process.
//
//   node bench/server.mjs --parts at-once,first-token
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installServer } from "../studio/install-server.mjs";
import { atOnce } from "./server/at-once.mjs";
import { cancel } from "./server/cancel.mjs";
import { firstToken } from "./server/first-token.mjs";
import { idle } from "./server/idle.mjs";
import { memory } from "./server/memory.mjs";
import { size } from "./server/size.mjs";

const parts = { "at-once": atOnce, "first-token": firstToken, memory, cancel, size, idle };
const { values: given } = parseArgs({
  options: {
    parts: { type: "string", default: Object.keys(parts).join() },
    runs: { type: "string", default: "500" },
    rounds: { type: "string", default: "3" },
    many: { type: "string", default: "5000" },
  },
});
const folder = mkdtempSync(join(tmpdir(), "glassloop-server-"));
let files = 0;
const options = {
  folder,
  newFile: () => join(folder, `${files++}.db`),
  ...{ runs: Number(given.runs), rounds: Number(given.rounds), many: Number(given.many) },
  ...{ tokens: 200, cancels: 20, turns: 200 },
};
try {
  if (given.parts.includes("at-once")) installServer();
  for (const name of given.parts.split(",")) await parts[name](options);
} finally {
  rmSync(folder, { recursive: true });
}
