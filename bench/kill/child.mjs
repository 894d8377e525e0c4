// A process that works on a thread until the plan is done. The program that starts it may kill it at any moment.
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "@langchain/langgraph";
import { ThreadInUseError } from "../../dist/base/errors.js";
import { openThreads } from "../../dist/threads/open.js";
import { decide } from "../../dist/turns/approvals.js";
import { mayLook, planAgent, someDecisions } from "./agent.mjs";
import { picture, question, turns } from "./plan.mjs";

/** `standby`: the process asks nothing, and only goes on with the turns of another process. */
const { database, modelUrl, run, file, standby, approve, pictures } = JSON.parse(process.argv[2]);
const thread = { configurable: { thread_id: `run-${run}` } };

const threads = await openThreads(database);
const agent = await planAgent({ modelUrl, fileOf: () => file, approve, checkpointer: threads.checkpointer });

process.stdout.write("ready\n");
for (;;) {
  const input = await nextInput();
  if (input === "done") break;
  await agent.invoke(input, thread).catch(waitWhileInUse);
}
await threads.close();

/** Returns a question if the last turn has ended, null to go on with a turn, and "done" after the last turn. */
async function nextInput() {
  const state = await agent.getState(thread);
  const { values, next } = state;
  const waiting = state.tasks.flatMap(({ interrupts }) => interrupts)[0];
  if (waiting !== undefined && !standby) return answerTo(state, waiting);
  const { messages = [], turn, answer } = values;
  const hasEnded = messages.at(-1)?.type !== "human" && answer !== null;
  if (next.length > 0 || (messages.length > 0 && !hasEnded)) return null;
  const finished = turn?.number ?? 0;
  if (finished === turns) return "done";
  if (!standby) return { messages: asked(finished + 1) };
  await sleep(20);
  return nextInput();
}

function asked(turn) {
  const text = question(run, turn);
  if (!pictures) return text;
  const image = { type: "image", mimeType: "image/png", data: picture(run, turn) };
  return [{ role: "user", content: [{ type: "text", text }, image] }];
}

/** Decides like a person, without an id or with that of the question. */
function answerTo(state, { id, value }) {
  const decisions = someDecisions(state);
  if (Object.keys(decisions).length > 0 && Math.random() < 0.5) return decide(decisions);
  const resume = value === mayLook ? "yes" : decisions;
  return new Command({ resume: Math.random() < 0.5 ? { [id]: resume } : resume });
}

async function waitWhileInUse(error) {
  if (!(error instanceof ThreadInUseError)) throw error;
  await sleep(20);
}
