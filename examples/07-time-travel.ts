// Time travel: every step of a thread is kept. Ask another question in the past, and go back to the old answer.
import { calculator, createAgent, edit, openThreads } from "glassloop";

const threads = await openThreads("memory:");
const agent = createAgent({ model: "offline", tools: [calculator()], checkpointer: threads.checkpointer });
const config = { configurable: { thread_id: "sums" } };

/** Prints the turns of the thread, and the branches that it left. */
async function show(title: string): Promise<void> {
  const { turns, branches } = await threads.history("sums");
  console.log(title);
  for (const { asked, answer, steps } of turns) console.log(`  ${asked} ${answer} (${steps.length} checkpoints)`);
  for (const { turn, answer } of branches) console.log(`  left in turn ${turn}: ${answer}`);
}

await agent.invoke({ messages: "What is 6 times 7?" }, config);
await agent.invoke({ messages: "What is 2 plus 2?" }, config);
await show("Two turns:");

await edit(agent, "sums", "What is 2 plus 3?");
await show("The second question was changed:");

const [old] = (await threads.history("sums")).branches;
if (old === undefined) throw new Error("The old answer is a branch.");
const past = await agent.getState({ configurable: { thread_id: "sums", checkpoint_id: old.checkpoint } });
console.log(`The state of that branch: ${past.values.question} ${past.values.answer}`);
await threads.fork("sums", old.checkpoint, "other-sums");
for (const { id, turns } of await threads.list()) console.log(`${id}: ${turns} turns`);
await threads.close();
