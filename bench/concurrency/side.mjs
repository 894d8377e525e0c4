// Runs turns of one side, so many at once. Prints its throughput in turns a second, its CPU time a turn in ms, and the
// super-steps of a turn. With the argument "fsync" each commit to a SQLite file waits for the disk.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { createAgent, openThreads } from "../../dist/index.js";

const [side, place, atOnce, turns, wait] = process.argv.slice(2);
const ANSWER_TIME = 300;
const STEPS = 3;

/** A model that takes its time. It calls the tool three times, and then answers. */
class SlowModel extends BaseChatModel {
  _llmType() {
    return "bench-slow";
  }

  bindTools(tools, options) {
    return this.withConfig({ tools, ...options });
  }

  async _generate(messages) {
    await sleep(ANSWER_TIME);
    const question = messages.findLastIndex((message) => message.getType() === "human");
    const step = messages.slice(question).filter((message) => message.getType() === "tool").length;
    const call = { id: `call-${step}`, name: "look", args: { step } };
    const message = step < STEPS ? new AIMessage({ content: "I look", tool_calls: [call] }) : new AIMessage("Done.");
    return { generations: [{ text: message.text, message }] };
  }
}

const look = tool(async ({ step }) => `${step} `.repeat(512), {
  name: "look",
  description: "Looks.",
  schema: z.object({ step: z.number() }),
});

const open = {
  async glassloop() {
    const { checkpointer } = await openThreads(place);
    return createAgent({
      model: new SlowModel({}),
      tools: [look],
      protocol: "tool-calling",
      rephrase: false,
      checkpointer,
    });
  },
  async prebuilt() {
    return createReactAgent({ llm: new SlowModel({}), tools: [look], checkpointer: await openSaver() });
  },
};

async function openSaver() {
  if (place.startsWith("sqlite:")) {
    const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
    const saver = SqliteSaver.fromConnString(place.slice("sqlite:".length));
    // Its driver leaves the disk to itself, so a loss of power may undo the last turns. Glassloop always waits.
    if (wait === "fsync") saver.db.pragma("synchronous = full");
    return saver;
  }
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres");
  const saver = PostgresSaver.fromConnString(place);
  await saver.setup();
  return saver;
}

const graph = await open[side]();
async function runTurn(config = newThread()) {
  const { messages } = await graph.invoke({ messages: [{ role: "user", content: "Look three times" }] }, config);
  if (messages.at(-1).text !== "Done." || messages.length !== 2 * STEPS + 2) throw new Error("The turn is not whole.");
}

function newThread() {
  return { configurable: { thread_id: randomUUID() }, durability: "sync" };
}

async function countSuperSteps() {
  const thread = newThread();
  await runTurn(thread);
  let steps = 0;
  for await (const _ of graph.getStateHistory(thread)) steps += 1;
  return steps;
}

async function runTurns(count) {
  let left = count;
  const worker = async () => {
    for (; left > 0; ) {
      left -= 1;
      await runTurn();
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, worker));
}

// Node.js first has to compile the code. A server does that once, so it is no part of a turn.
await runTurns(Number(turns));
const before = { time: performance.now(), cpu: process.cpuUsage() };
await runTurns(Number(turns));
const seconds = (performance.now() - before.time) / 1000;
const { user, system } = process.cpuUsage(before.cpu);
const superSteps = await countSuperSteps();
console.log(JSON.stringify({ throughput: turns / seconds, cpu: (user + system) / 1000 / turns, superSteps }));
process.exit();
