// A conversation over HTTP: the turns of the plan on one thread, on a server that may be gone at any moment.
import { setTimeout as sleep } from "node:timers/promises";
import { mayLook, someDecisions } from "../kill/agent.mjs";
import { question, turns } from "../kill/plan.mjs";
import { ignoreGone, insist } from "./insist.mjs";
import { Reader } from "./readers.mjs";
import { ThreadReader } from "./thread-reader.mjs";

const modes = ["values", "updates", "messages-tuple", "checkpoints", "tasks"];

/**
 * Has the conversation. Returns its runs with their readers, a reader of the thread, and the final state of the thread.
 *
 * @param options.number The number of the conversation in the plan.
 * @param options.manner `careful` to decide about calls, `hasty` to enqueue all turns at once, `unruly` to stop the first turn in
 *   its middle, and ask the next one.
 */
export async function converse({ client, send }, { number, manner, random }) {
  const approve = manner === "careful";
  const thread = `run-${number}`;
  const runs = [];
  const begin = async (name, given) => {
    const run = await enqueue(client, { thread, name, random, assistant: approve ? "careful" : "agent", given });
    runs.push(run);
    return run;
  };
  const order = async (name, given) => (await begin(name, given)).ended;
  await insist(() => client.threads.create({ threadId: thread, ifExists: "do_nothing" }));
  const follower = new ThreadReader(send, thread, random);
  const following = follower.follow();
  const ask = (turn) => order(`turn ${turn}, ${runs.length}`, { input: { messages: question(number, turn) } });
  const finish = async (turn) => {
    for (;;) {
      const { status } = await threadOf(client, thread);
      const state = await insist(() => client.threads.getState(thread));
      const [waiting] = state.tasks.flatMap(({ interrupts }) => interrupts);
      if (waiting) {
        const resume = waiting.value === mayLook ? "yes" : someDecisions(state);
        await order(`answer ${runs.length}`, { command: { resume } });
        // A run may be given up when its third server was killed. What it did not do is done by another one.
      } else if (status === "error") {
        const hasBegun = JSON.stringify(state.values).includes(question(number, turn));
        await (hasBegun ? order(`go on ${runs.length}`, { input: null }) : ask(turn));
      } else return;
    }
  };
  if (approve) {
    for (let turn = 1; turn <= turns; turn += 1) {
      await ask(turn);
      await finish(turn);
    }
  } else if (manner === "unruly") {
    const { run, ended } = await begin("turn 1", { input: { messages: question(number, 1) }, background: true });
    await sleep(random() * 500);
    const action = random() < 0.5 ? "interrupt" : "rollback";
    if (random() < 0.5) await insist(() => client.runs.cancel(thread, run, random() < 0.5, action)).catch(ignoreGone);
    else await order("turn 2", { input: { messages: question(number, 2) }, multitaskStrategy: action });
    await ended;
    if (runs.length === 1) await ask(2);
    await finish(2);
  } else {
    await Promise.all(Array.from({ length: turns }, (_, index) => ask(index + 1)));
    await finish(turns);
  }
  for (const run of runs) run.row = await insist(() => client.runs.get(thread, run.run)).catch(ignoreGone);
  follower.leave();
  await following;
  return { number, thread, manner, runs, follower, state: await threadOf(client, thread) };
}

const threadOf = (client, thread) => insist(() => client.threads.get(thread));

/** Enqueues a run, streamed or in the background, and reads it. A run that the server took before it was killed is found by its name. */
async function enqueue(client, { thread, name, random, assistant, given: { background = false, ...given } }) {
  const first = new Reader(client, thread, random);
  const payload = { streamMode: modes, streamSubgraphs: random() < 0.5, metadata: { name } };
  const options = { ...payload, multitaskStrategy: "enqueue", ...given };
  const find = async () => (await client.runs.list(thread, { limit: 100 })).find((run) => run.metadata.name === name);
  let isRead = false;
  if (!background && random() < 0.5) {
    const streamed = client.runs.stream(thread, assistant, { ...options, streamResumable: true });
    isRead = await first.take(streamed).catch(() => false);
  }
  const { run_id: run } = await insist(async () => (await find()) ?? client.runs.create(thread, assistant, options));
  const second = new Reader(client, thread, random);
  const ended = Promise.all([isRead || first.readOn(run), second.readOn(run)]);
  return { thread, run, readers: [first, second], ended };
}
