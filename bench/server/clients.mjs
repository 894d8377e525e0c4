import { Client } from "@langchain/langgraph-sdk";

/** Makes a client that sends as many requests at once as it is asked for, and none twice. */
export function clientOf({ url }) {
  return new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0, maxConcurrency: 5_000 } });
}

/** Asks a graph on a new thread, and reads the run to its end. Returns the time of its first token in milliseconds. */
export async function askOnce(client, graph, streamMode = ["messages-tuple"]) {
  const { thread_id: thread } = await client.threads.create();
  return askOn(client, thread, graph, streamMode);
}

export async function askOn(client, thread, graph, streamMode) {
  const begun = performance.now();
  let first;
  let isEnded = false;
  const input = { messages: [{ role: "user", content: "Look three times." }] };
  for await (const { event, data } of client.runs.stream(thread, graph, { input, streamMode })) {
    if (event === "messages" || event.startsWith("messages|")) first ??= performance.now() - begun;
    if (event === "error") throw new Error(JSON.stringify(data));
    isEnded = true;
  }
  if (!isEnded) throw new Error("The run had no event.");
  return first;
}

/** Does something so many times, so many at once. */
export async function times(count, atOnce, action) {
  let left = count;
  const results = [];
  const worker = async () => {
    while (left-- > 0) results.push(await action());
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
