// The time of a run's first token through the server, and of the same agent in this process. They take turns.
import { randomUUID } from "node:crypto";
import { createAgent, openThreads } from "../../dist/index.js";
import { quickOptions } from "./agents.mjs";
import { askOnce, clientOf, median } from "./clients.mjs";
import { forkServer } from "./process.mjs";

export async function firstToken({ newFile, tokens }) {
  const server = await forkServer({ db: `sqlite:${newFile()}` });
  const client = clientOf(server);
  const threads = await openThreads(`sqlite:${newFile()}`);
  const agent = createAgent({ ...quickOptions, checkpointer: threads.checkpointer });
  const inProcess = async () => {
    const begun = performance.now();
    let first;
    const options = {
      configurable: { thread_id: randomUUID() },
      streamMode: ["values", "messages"],
      durability: "sync",
    };
    for await (const [mode] of await agent.stream({ messages: "Look three times." }, options)) {
      if (mode === "messages") first ??= performance.now() - begun;
    }
    return first;
  };
  const [ours, its] = [[], []];
  for (let count = -50; count < tokens; count += 1) {
    const pair = [await askOnce(client, "quick", ["values", "messages-tuple"]), await inProcess()];
    if (count >= 0) for (const [index, list] of [ours, its].entries()) list.push(pair[index]);
  }
  await server.end();
  await threads.close();
  const [through, within] = [median(ours), median(its)];
  console.log(`\nFirst token, median of ${tokens}`);
  console.log(
    `  in process ${within.toFixed(1)} ms, through the server ${through.toFixed(1)} ms: ${(through - within).toFixed(1)} ms later`,
  );
}
