// A process that runs turns on a thread. Its commands on stdin: `clock 5000`, `reopen`, `close`, `second`, `rest`, `wake`, `end`.
// It prints `turn N` when a turn was answered, and `error CODE: …` when a call failed.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stepClock } from "./clock.mjs";

const { createAgent } = await import("../../dist/agent/create-agent.js");
const { loadModel } = await import("../../dist/model/models.js");
const { openThreads } = await import("../../dist/threads/open.js");
const { answer, question, randomNumbers } = await import("../kill/plan.mjs");
const { makeTools } = await import("./tools.mjs");
const { shortenGuard } = await import("./guard-times.mjs");

/** `turns`: the number of answers after which the process ends; null to end when it is told. */
const { database, modelUrl, run, thread: id, file, serial, turns } = JSON.parse(process.argv[2]);
const random = randomNumbers(serial);
const thread = { configurable: { thread_id: id } };
const model = await loadModel("openai:planned", { baseUrl: modelUrl, apiKey: "none", maxRetries: 2 });
const tools = makeTools(file, random);
const say = (line) => process.stdout.write(`${line.replaceAll("\n", " ")}\n`);
let wantsMore = true;
let wantsReopened = false;
let answered = 0;
let asked = 0;
let rest = Promise.resolve();
let wake = () => {};
let place = await open();

const commands = {
  clock: (step) => stepClock(Number(step)),
  reopen: () => {
    wantsReopened = true;
  },
  close: () => reopen(),
  second: () => openSecond(),
  /** Begins no more turns until it is woken. */
  rest: () => {
    rest = new Promise((resolve) => {
      wake = resolve;
    });
  },
  wake: () => wake(),
  end: () => {
    wantsMore = false;
  },
};
createInterface(process.stdin)
  .on("line", (line) => {
    const [name, argument] = line.split(" ");
    Promise.resolve(commands[name](argument)).catch(sayError);
  })
  .on("close", () => process.exit());

say("ready");
while (await goOn().catch(sayError)) {
  if (wantsReopened) await reopen().catch(sayError);
  await rest;
}
await place.threads.close();
process.exit();

async function open() {
  const threads = await openThreads(database);
  shortenGuard(threads);
  const { checkpointer } = threads;
  return { threads, agent: createAgent({ model, tools, protocol: "tool-calling", checkpointer }) };
}

/** Closes the threads and opens them again, also in the middle of a turn. */
async function reopen() {
  wantsReopened = false;
  const old = place;
  await old.threads.close();
  // A connection that breaks meanwhile would leave the process with closed threads.
  for (;;) {
    try {
      place = await open();
      return;
    } catch (error) {
      await sayError(error);
    }
  }
}

/** Opens the threads once more in this process, reads the thread, and keeps either the new place or the old one. */
async function openSecond() {
  const second = await open();
  await second.agent.getState(thread);
  const unwanted = random() < 0.5 ? second : place;
  if (unwanted === place) place = second;
  await sleep(random() * 300);
  await unwanted.threads.close();
}

/** Asks a question, or goes on with a turn that has not ended. Returns false if nothing is left to do. */
async function goOn() {
  const { agent } = place;
  const { values, next } = await agent.getState(thread);
  const isUnfinished = next.length > 0 || values.messages?.at(-1)?.type === "human";
  if (!isUnfinished && (!wantsMore || answered === turns)) return false;
  const isPatient = !wantsMore || random() < 0.9;
  const input = isUnfinished && isPatient ? null : { messages: question(run, nextNumber()) };
  acknowledge(await agent.invoke(input, thread));
  return true;
}

/** Draws the number of a question, which no other process draws. */
function nextNumber() {
  asked += 1;
  return serial * 1000 + asked;
}

function acknowledge({ messages }) {
  const last = messages.findLast(({ type }) => type === "human");
  const number = Number(/turn (\d+)/.exec(last.text)[1]);
  if (messages.at(-1).text !== answer(run, number)) return say(`other ${messages.at(-1).text}`);
  answered += 1;
  say(`turn ${number}`);
}

async function sayError(error) {
  say(`error ${error.code ?? error.name}: ${error.message.slice(0, 300)}`);
  await sleep(50);
  return true;
}
