// The pages in use of the SQLite file of a long thread: through the server, with the events deleted, and in the process.

import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { createAgent, openThreads } from "../../dist/index.js";
import { quickOptions } from "./agents.mjs";
import { askOn, clientOf } from "./clients.mjs";
import { forkServer } from "./process.mjs";

export async function size({ newFile, turns }) {
  const [ours, its] = [newFile(), newFile()];
  const server = await forkServer({ db: `sqlite:${ours}`, keepEventsMs: 20_000 });
  const client = clientOf(server);
  const { thread_id: thread } = await client.threads.create();
  for (let turn = 0; turn < turns; turn += 1)
    await askOn(client, thread, "quick", ["values", "updates", "messages-tuple"]);
  const before = pagesOf(ours);
  await sleep(30_000);
  await server.end();
  await inProcess(its, turns);
  const [swept, within] = [pagesOf(ours), pagesOf(its)];
  console.log(`\nPages in use after ${turns} turns of 3 steps with 1 KB`);
  console.log(
    `  in process ${within.used}, through the server ${swept.used}: ${(swept.used / within.used).toFixed(2)} x`,
  );
  console.log(
    `  with the events of the last turns ${before.used}; the file has ${swept.all} pages, in process ${within.all}`,
  );
  for (const [name, pages] of swept.tables)
    console.log(`    ${name} ${pages}, in process ${within.tables.get(name) ?? 0}`);
}

async function inProcess(file, turns) {
  const threads = await openThreads(`sqlite:${file}`);
  const agent = createAgent({ ...quickOptions, checkpointer: threads.checkpointer });
  const options = { configurable: { thread_id: "in-process" }, durability: "sync" };
  for (let turn = 0; turn < turns; turn += 1) await agent.invoke({ messages: "Look three times." }, options);
  await threads.close();
}

function pagesOf(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  const one = (pragma) => Object.values(database.prepare(`pragma ${pragma}`).get())[0];
  const all = one("page_count");
  const used = all - one("freelist_count");
  let tables = new Map();
  try {
    const rows = database.prepare("select name, count(*) as pages from dbstat group by name order by 2 desc").all();
    tables = new Map(rows.map(({ name, pages }) => [name, pages]));
  } catch {}
  database.close();
  return { all, used, tables };
}
