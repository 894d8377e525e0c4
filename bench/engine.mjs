// Measures workers on one Postgres, beside bare pg-boss and LangGraph's dev server, in one table.
//
//   node bench/engine.mjs --parts short,takeover
import { parseArgs } from "node:util";
import { installServer } from "../studio/install-server.mjs";
import { installPeers } from "./install-peers.mjs";

installPeers();
const { backlog, firstToken, hot, scale, short, takeover } = await import("./engine/parts.mjs");
const parts = { short, "first-token": firstToken, backlog, hot, takeover, scale };
const { values: given } = parseArgs({
  options: {
    parts: { type: "string", default: Object.keys(parts).join() },
    runs: { type: "string", default: "500" },
    many: { type: "string", default: "10000" },
    workers: { type: "string", default: "1,2,4,8" },
    queues: { type: "string", default: "100,10000" },
  },
});
const numbers = (list) => list.split(",").map(Number);
const options = {
  ...{ runs: Number(given.runs), many: Number(given.many) },
  ...{ workers: numbers(given.workers), queues: numbers(given.queues), tokens: 100, kills: 3 },
};
if (given.parts.includes("scale")) installServer();
print("", { ours: "ours", boss: "pg-boss", other: "LangGraph's", ratio: "ours / pg-boss" });
for (const name of given.parts.split(",")) {
  for (const { what, unit, ours, boss, other } of await parts[name](options)) {
    const ratio = boss === undefined ? "" : (ours / boss).toFixed(2);
    print(`${what}, ${unit}`, { ours: figure(ours), boss: figure(boss), other: figure(other), ratio });
  }
}

function print(what, { ours, boss, other, ratio }) {
  console.log(`${what.padEnd(72)}${ours.padStart(9)}${boss.padStart(9)}${other.padStart(13)}${ratio.padStart(16)}`);
}

function figure(value) {
  if (value === undefined) return "–";
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
