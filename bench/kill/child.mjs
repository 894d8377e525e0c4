// A process that works on a thread until the plan is done. The program that starts it may kill it at any moment.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import { Command, interrupt } from "@langchain/langgraph";
import { z } from "zod";
import { createAgent } from "../../dist/agent/create-agent.js";
import { ThreadInUseError } from "../../dist/base/errors.js";
import { approvalRequests, decide } from "../../dist/core/turns/approvals.js";
import { loadModel } from "../../dist/model/models.js";
import { openThreads } from "../../dist/threads/open.js";
import { picture, question, refused, turns } from "./plan.mjs";

/** `standby`: the process asks nothing, and only goes on with the turns of another process. */
const { database, modelUrl, run, file, standby, approve, pictures } = JSON.parse(process.argv[2]);
const schema = z.object({ turn: z.number(), line: z.string() });
const thread = { configurable: { thread_id: `run-${run}` } };

const append = tool(
  async ({ turn, line }) => {
    await sleep(Math.random() * 20);
    appendFileSync(file, `${turn} ${line}\n`);
    await sleep(Math.random() * 20);
    return "appended";
  },
  { name: "append", description: "Appends a line.", schema, metadata: { effects: true } },
);
const look = tool(
  async () => {
    await sleep(Math.random() * 10);
    return approve ? `seen, they said ${interrupt("May I look?")}` : "seen";
  },
  { name: "look", description: "Looks.", schema },
);

const threads = await openThreads(database);
const model = await loadModel("openai:planned", { baseUrl: modelUrl, apiKey: "none", maxRetries: 0 });
const agent = createAgent({
  model,
  tools: [append, look],
  protocol: "tool-calling",
  approve: approve ? "effects" : "never",
  checkpointer: threads.checkpointer,
});

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

/** Decides like a person: about some of the calls, without an id or with that of the question. */
function answerTo(state, { id, value }) {
  const requests = approvalRequests(state);
  const chosen = requests.filter((_request, n) => n === 0 || Math.random() < 0.5);
  const decisions = chosen.map((request) => [request.id, request.input.line === refused ? "refuse" : "approve"]);
  if (requests.length > 0 && Math.random() < 0.5) return decide(Object.fromEntries(decisions));
  const resume = value === "May I look?" ? "yes" : Object.fromEntries(decisions);
  return new Command({ resume: Math.random() < 0.5 ? { [id]: resume } : resume });
}

async function waitWhileInUse(error) {
  if (!(error instanceof ThreadInUseError)) throw error;
  await sleep(20);
}
