// A process that writes until it is killed, and says what was stored. The process has the file open twice, and now and then
// closes and reopens one of the two connections.
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { createAgent } from "../../dist/agent/create-agent.js";
import { insertGuard } from "../../dist/threads/guard/rows.js";
import { openThreads } from "../../dist/threads/open.js";

const [, , url, number] = process.argv;
const ROUNDS_UNTIL_REOPENED = 5;
const AT_ONCE = 20;

async function open() {
  const threads = await openThreads(url);
  const model = new FakeListChatModel({ responses: ["Final Answer: Yes."] });
  const { checkpointer } = threads;
  return { threads, checkpointer, agent: createAgent({ model, protocol: "react", rephrase: false, checkpointer }) };
}

async function ask({ agent }, name, round) {
  await agent.invoke({ messages: `Question ${round}` }, { configurable: { thread_id: name } });
  process.stdout.write(`${name} ${round}\n`);
}

/** Takes threads that nobody else takes. */
async function take({ checkpointer }, name, round) {
  const owner = { owner: name, holder: name, host: "bench", pid: process.pid, started: "now", renewedAt: Date.now() };
  const takeOne = async (_, index) => {
    const thread = `taken-${name}-${round}-${index}`;
    if (!(await insertGuard(checkpointer.database, { ...owner, thread })))
      throw new Error(`${thread} was taken before`);
    process.stdout.write(`${thread} ${round}\n`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeOne));
}

const work = Number(number) % 2 === 1 ? ask : take;
const places = [await open(), await open()];
for (let round = 1; ; round += 1) {
  for (const [index, place] of places.entries()) await work(place, `${number}-${index}`, round);
  if (round % ROUNDS_UNTIL_REOPENED > 0) continue;
  const index = (round / ROUNDS_UNTIL_REOPENED) % places.length;
  await places[index].threads.close();
  places[index] = await open();
}
