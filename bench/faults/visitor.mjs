// A process that opens the threads beside others, and closes them. It reads, prunes or copies them. For a fork it prints
// `copied ID COUNT`, with the least number of messages that the fork must have. A copy into another database is checked here.
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "../../dist/agent/create-agent.js";
import { openThreads } from "../../dist/threads/open.js";
import { randomNumbers } from "../kill/plan.mjs";
import { shortenGuard } from "./guard-times.mjs";

const { database, thread: id, serial, task, milliseconds } = JSON.parse(process.argv[2]);
const random = randomNumbers(serial);
const thread = { configurable: { thread_id: id } };
const say = (line) => process.stdout.write(`${line.replaceAll("\n", " ")}\n`);
let copies = 0;
process.stdin.on("end", () => process.exit()).resume();

const tasks = { look, prune, copy };
const end = performance.now() + milliseconds;
say("ready");
while (performance.now() < end) {
  await visit().catch((error) => say(`error ${error.code ?? error.name}: ${error.message.slice(0, 300)}`));
  await sleep(random() * 30);
}
process.exit();

async function visit() {
  const threads = await openThreads(database);
  shortenGuard(threads);
  const agent = createAgent({ model: "openai:never-asked", checkpointer: threads.checkpointer });
  try {
    if (await threads.get(id)) await tasks[task](threads, agent);
  } finally {
    await threads.close();
  }
}

async function look(threads, agent) {
  await threads.history(id);
  await agent.getState(thread);
}

async function prune(threads) {
  const { damaged } = await threads.prune({ thread: id, keepTurns: Math.floor(random() * 2) });
  if (damaged.length > 0) say(`error damaged-thread: prune found ${damaged.join(", ")} damaged`);
}

async function copy(threads, agent) {
  copies += 1;
  const copied = `${id}-copy-${serial}-${copies}`;
  if (random() < 0.5) await fork(threads, agent, copied);
  else await copyElsewhere(threads, agent);
}

async function fork(threads, agent, copied) {
  const { turns } = await threads.history(id);
  const steps = turns.flatMap((turn) => turn.steps);
  const step = steps[Math.floor(random() * steps.length)];
  if (step === undefined) return;
  const there = { configurable: { thread_id: id, checkpoint_id: step.checkpoint } };
  const count = (await agent.getState(there)).values.messages?.length ?? 0;
  await threads.fork(id, step.checkpoint, copied);
  say(`copied ${copied} ${count}`);
}

async function copyElsewhere(threads, agent) {
  const count = (await agent.getState(thread)).values.messages?.length ?? 0;
  const elsewhere = await openThreads("memory:");
  try {
    await threads.copy(id, elsewhere);
    const copy = createAgent({ model: "openai:never-asked", checkpointer: elsewhere.checkpointer });
    const found = (await copy.getState(thread)).values.messages?.length ?? 0;
    if (found < count) throw new Error(`A copy has ${found} messages and not ${count}.`);
  } finally {
    await elsewhere.close();
  }
}
