// Serve: a server of agents in a program of your own. LangGraph's SDK is its client, and a new process goes on with the run.
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { calculator, createAgent, openThreads } from "glassloop";
import { serveAgents } from "glassloop/server";

const file = join(tmpdir(), "glassloop-serve.db");
const agents = { support: createAgent({ model: "offline", tools: [calculator()], approve: "always" }) };

/** Starts a server, as a process does. `@hono/node-server` gives it a port: serve({ fetch: server.fetch, port: 2024 }). */
async function start() {
  const threads = await openThreads(`sqlite:${file}`);
  const server = await serveAgents({ agents, threads });
  const fetch = async (url: string | URL | Request, init?: RequestInit) => server.fetch(new Request(url, init));
  const client = new Client({ apiUrl: "http://localhost:2024", callerOptions: { fetch } });
  return { client, stop: () => server.close().then(() => threads.close()) };
}

const first = await start();
const { thread_id } = await first.client.threads.create({ metadata: { customer: "Ann" } });
const input = { messages: [{ role: "user", content: "What is 15% of 240?" }] };
await first.client.runs.wait(thread_id, "support", { input });
const { status } = await first.client.threads.get(thread_id);
console.log(`The thread is ${status}: a person decides about the call.`);
await first.stop();

const second = await start();
const [waiting] = await second.client.threads.search({ metadata: { customer: "Ann" }, status: "interrupted" });
const command = { resume: { decisions: [{ type: "approve" }] } };
await second.client.runs.wait(waiting?.thread_id ?? "", "support", { command });
const { values } = await second.client.threads.getState<{ answer: string }>(thread_id);
console.log(values.answer);
await second.stop();
rmSync(file);
