// Measures what each promise costs: an agent with all of them against one without it. Run `npm run bench:promises` in the project's
// folder, which builds `dist` first. `-- 31` measures 31 rounds.
import { MemorySaver } from "@langchain/langgraph";
import { z } from "zod";
import { assembleParts } from "../dist/agent/assemble-parts.js";
import { agentOf } from "../dist/graph/compile-agent.js";
import { countTool, nativeReplies, question } from "./overhead/task.mjs";
import { ScriptedModel } from "./promises/scripted-model.mjs";
import { shapeOf } from "./promises/shape.mjs";

const steps = 3;
const turnsOfRound = 20;
const [rounds = 15] = process.argv.slice(2).map(Number);

const given = { instructions: "Count with care.", tools: [countTool()] };
const replies = [...nativeReplies.slice(0, steps), { content: '{"marbles": 6}' }];
const promised = { output: z.object({ marbles: z.number() }), approve: "effects", taint: "approve" };

/** An agent without a plug-in, or with other options. */
function contestant(name, without, options = {}) {
  const model = new ScriptedModel(replies);
  const parts = assembleParts({ model, ...given, ...promised, ...options });
  const plugins = parts.plugins.filter((plugin) => plugin.name !== without);
  const saver = new MemorySaver();
  const agent = agentOf({ ...parts, plugins }, { checkpointer: saver });
  const turn = (thread) => agent.invoke({ messages: question }, { configurable: { thread_id: thread } });
  return { name, saver, turn, model, times: [] };
}

const { plugins } = assembleParts({ model: new ScriptedModel(replies), ...given, ...promised });
const whole = contestant("all of them");
const contestants = [
  whole,
  contestant("the same again"),
  ...plugins.map(({ name }) => contestant(name, name)),
  contestant("fence", undefined, { fence: false }),
];

for (const { turn } of contestants) for (let n = 0; n < 50; n += 1) await turn(`warm-up-${n}`);
for (let round = 0; round < rounds; round += 1)
  for (let place = 0; place < contestants.length; place += 1)
    await timed(contestants[(place + round) % contestants.length]);

/** Adds the processor time of the turns of a round, in microseconds. Each turn has a thread of its own. */
async function timed({ turn, times, saver }) {
  const before = process.cpuUsage();
  for (let n = 0; n < turnsOfRound; n += 1) {
    await turn("measured");
    // A heap that grows would make the later turns dearer.
    saver.storage = {};
    saver.writes = {};
  }
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / turnsOfRound);
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
const rows = [];
for (const one of contestants) {
  const { functions, frames } = await shapeOf(one);
  const ratio = median(one.times.map((time, n) => time / whole.times[n]));
  rows.push({ name: one.name, ratio, functions, frames, bytes: bytesOf(one.saver, "frames") });
}

/** The bytes of the checkpoints of a thread. */
function bytesOf({ storage }, thread) {
  const checkpoints = Object.values(storage[thread]).flatMap((namespace) => Object.values(namespace));
  return checkpoints.reduce((sum, [checkpoint, metadata]) => sum + checkpoint.length + metadata.length, 0);
}

console.log(`A native turn of ${steps} steps takes ${Math.round(median(whole.times))} µs of processor time.`);
console.log("| without | time × | functions | frames to the model | bytes of the thread |");
console.log("|---|---|---|---|---|");
for (const { name, ratio, functions, frames, bytes } of rows)
  console.log(`| ${name} | ${ratio.toFixed(3)} | ${functions} | ${frames} | ${bytes} |`);
