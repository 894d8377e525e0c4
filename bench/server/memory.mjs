// The memory of the server after many runs, each on a thread of its own, with a reader.
import { askOnce, clientOf, times } from "./clients.mjs";
import { forkServer } from "./process.mjs";

export async function memory({ newFile, many }) {
  const server = await forkServer({ db: `sqlite:${newFile()}` });
  const client = clientOf(server);
  console.log("\nMemory of the server after a garbage collection");
  let runs = 0;
  for (const count of [many / 10, many / 4, many / 2, many]) {
    await times(count - runs, 20, () => askOnce(client, "quick"));
    runs = count;
    const { rss, heap } = await server.memory();
    console.log(`  after ${String(runs).padStart(5)} runs: heap ${heap.toFixed(1)} MB, resident ${rss.toFixed(0)} MB`);
  }
  await server.end();
}
