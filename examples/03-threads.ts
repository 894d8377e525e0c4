// Threads: a conversation is kept in a file. Another process may go on with it, and may look at it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, documentSearch, openThreads } from "glassloop";

const folder = mkdtempSync(join(tmpdir(), "glassloop-example-"));
const tools = [documentSearch({ folder: "knowledge" })];

/** Asks on a thread, and opens and closes the file for each question, like a separate process. */
async function ask(thread: string, question: string): Promise<void> {
  const threads = await openThreads(`sqlite:${join(folder, "threads.db")}`);
  const agent = createAgent({ model: "offline", tools, checkpointer: threads.checkpointer });
  const state = await agent.invoke({ messages: question }, { configurable: { thread_id: thread } });
  console.log(`${state.turn.number}. ${question}\n   ${state.question}\n   ${state.answer}`);
  await threads.close();
}

await ask("cubes", "What is the world record for solving a Rubik's cube?");
await ask("cubes", "Can a robot solve it faster?"); // "it" is known from the turn before

const threads = await openThreads(`sqlite:${join(folder, "threads.db")}`);
for (const { id, title, status } of await threads.list()) console.log(`${id}: ${title} (${status})`);
await threads.close();
rmSync(folder, { recursive: true });
