// Readers that say nothing more: a thousand sockets that wait for the events of a run.
import { once } from "node:events";
import { connect } from "node:net";
import { clientOf } from "./clients.mjs";
import { startEndlessModel } from "./endless-model.mjs";
import { forkServer, usageOf } from "./process.mjs";

const READERS = 1_000;

export async function idle({ newFile }) {
  const model = await startEndlessModel();
  const server = await forkServer({ db: `sqlite:${newFile()}` }, { MODEL_URL: model.url });
  const client = clientOf(server);
  const { thread_id: thread } = await client.threads.create();
  const input = { messages: [{ role: "user", content: "Go on for ever." }] };
  const { run_id: run } = await client.runs.create(thread, "slow", { input, streamMode: ["updates"] });
  const before = await server.memory();
  const sockets = [];
  const statuses = {};
  for (let n = 0; n < READERS; n += 1) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    socket.write(`GET /threads/${thread}/runs/${run}/stream HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const [head] = await once(socket, "data");
    const status = head.toString().split(" ")[1];
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const during = await server.memory();
  const [begun, used] = [performance.now(), usageOf(server.pid).seconds];
  for (let n = 0; n < 20; n += 1) await client.threads.get(thread);
  const answered = (performance.now() - begun) / 20;
  console.log(
    `\n${READERS} idle readers: ${Object.entries(statuses)
      .map(([status, count]) => `${count} got ${status}`)
      .join(", ")}`,
  );
  console.log(
    `  memory ${before.rss.toFixed(0)} MB before, ${during.rss.toFixed(0)} MB with them; another request took ${answered.toFixed(1)} ms`,
  );
  console.log(`  processor for that ${(usageOf(server.pid).seconds - used).toFixed(2)} s`);
  for (const socket of sockets) socket.destroy();
  for (const until = Date.now() + 5_000; ; ) {
    const open = /glassloop_open_streams (\d+)/.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1];
    if (open === "0" || Date.now() > until) {
      console.log(`  open streams after they left: ${open}`);
      break;
    }
  }
  await client.runs.cancel(thread, run, true);
  await server.end();
  model.close();
}
