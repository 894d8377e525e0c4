// The time from a client's cancel until the model's connection closes, of an agent and of an agent in its tool.
import { setTimeout as sleep } from "node:timers/promises";
import { clientOf, median } from "./clients.mjs";
import { startEndlessModel } from "./endless-model.mjs";
import { forkServer } from "./process.mjs";

export async function cancel({ newFile, cancels }) {
  const model = await startEndlessModel();
  const server = await forkServer({ db: `sqlite:${newFile()}` }, { MODEL_URL: model.url });
  const client = clientOf(server);
  console.log(`\nFrom cancel to the end of the model's connection, ${cancels} times`);
  const ways = {
    cancel: (thread, run) => client.runs.cancel(thread, run),
    "a reader that leaves": (_thread, _run, leave) => leave(),
    "a run that interrupts": (thread) =>
      client.runs.create(thread, "quick", { ...asked, multitaskStrategy: "interrupt" }),
    rollback: (thread, run) => client.runs.cancel(thread, run, false, "rollback"),
  };
  for (const graph of ["slow", "parent"]) {
    for (const [way, stop] of Object.entries(ways)) {
      const taken = [];
      for (let count = 0; count < cancels; count += 1) taken.push(await measure(client, { graph, stop, model }));
      const [middle, longest] = [median(taken), Math.max(...taken)].map((time) => `${time.toFixed(0)} ms`);
      console.log(
        `  ${graph === "slow" ? "an agent" : "a sub-agent"}, ${way}: ${middle} in the middle, ${longest} at most`,
      );
    }
  }
  await server.end();
  model.close();
}

const asked = { input: { messages: [{ role: "user", content: "Go on for ever." }] } };

async function measure(client, { graph, stop, model }) {
  const { thread_id: thread } = await client.threads.create();
  const leaving = new AbortController();
  let run;
  const options = {
    ...asked,
    streamMode: ["messages-tuple"],
    streamSubgraphs: true,
    onDisconnect: "cancel",
    signal: leaving.signal,
    onRunCreated: ({ run_id }) => {
      run = run_id;
    },
  };
  const streamed = client.runs.stream(thread, graph, options)[Symbol.asyncIterator]();
  for (let words = 0; words < 3; words += 1) {
    const { value } = await streamed.next();
    if (!JSON.stringify(value.data).includes(" and")) words -= 1;
  }
  // The endless stream has to be read on.
  const read = (async () => {
    while (!(await streamed.next()).done);
  })().catch(() => undefined);
  await sleep(Math.random() * 50);
  const closed = model.nextClosed();
  const begun = performance.now();
  await stop(thread, run, () => leaving.abort());
  const taken = (await closed) - begun;
  await read;
  return taken;
}
