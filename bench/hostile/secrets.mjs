// Servers and tools that send keys back. The keys are looked for in all that leaves an agent.
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { createAgent, loadModel, openThreads, streamTurn } from "../../dist/index.js";

const protocols = ["react", "structured-chat", "conversational", "self-ask", "tool-calling"];
const program = new URL("../../dist/cli/bin.js", import.meta.url).pathname;

/** The ways in which a key comes back. Each gets the key, and returns a status with a body, or the pieces of a stream. */
const ways = {
  refused: (key) => ({ status: 400, body: { error: { message: `You sent authorization: Bearer ${key}` } } }),
  forbidden: (key) => ({ status: 403, body: { error: { message: `${key} may not` } } }),
  unknown: (key) => ({ status: 404, body: { detail: key } }),
  failed: (key) => ({ status: 500, body: { error: { message: "failed", param: key } } }),
  page: (key) => ({ status: 502, body: `<html><body>${key}</body></html>` }),
  broken: (key) => ({ pieces: ["Some words. "], error: `broke off at ${key}` }),
  answer: (key, cut) => ({ pieces: cut(`Final Answer: the key is ${key}.`) }),
  encoded: (key, cut) => ({
    pieces: cut(`Final Answer: ${encodeURIComponent(key)} or ${Buffer.from(key).toString("base64")}`),
  }),
  action: (key, cut) => ({ pieces: cut(` I note it\nAction: note\nAction Input: ${key}`) }),
  call: (key) => ({ call: { text: `the key ${key}` } }),
};

function chunk(delta, finish_reason = null) {
  return {
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason }],
  };
}

function write(response, { status = 200, body, pieces = [], error, call }) {
  if (body !== undefined) {
    response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" });
    return response.end(typeof body === "string" ? body : JSON.stringify(body));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const fn = call && { name: "note", arguments: JSON.stringify(call) };
  const chunks = [
    ...pieces.map((content) => chunk({ content })),
    ...(call ? [chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: fn }] }, "tool_calls")] : []),
    ...(error ? [{ error: { message: error } }] : []),
  ];
  for (const one of chunks) response.write(`data: ${JSON.stringify(one)}\n\n`);
  return response.end("data: [DONE]\n\n");
}

/** Starts a server that sends the key back in one way, and then answers. */
async function startEcho(way, cut) {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    response.setHeader("x-echo", key);
    write(response, requests === 1 ? ways[way](key, cut) : { pieces: [" I know\nFinal Answer: done"] });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/v1` };
}

/** Runs a turn in each way, protocol and database, and looks for the key in all that is left of it. */
export async function secrets(chance, report, count = 100) {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-hostile-"));
  const names = Object.keys(ways);
  const found = { "in states, events and errors": [], "in files and exports": [], "on the command line": [] };
  for (let n = 0; n < count; n += 1) {
    const way = names[n % names.length];
    const key = `k-${Array.from({ length: 12 + chance.whole(30) }, () => chance.pick([..."abcXYZ0189_-+/="])).join("")}`;
    const cut = (text) => text.match(new RegExp(`[\\s\\S]{1,${1 + chance.whole(9)}}`, "g"));
    const item = { way, key, protocol: chance.pick(protocols), where: join(folder, String(n)) };
    const { server, url } = await startEcho(way, cut);
    const left = await leftBy(item, url);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    for (const [place, text] of Object.entries(left)) if (leaks(text, key)) found[place].push(item);
  }
  for (const [place, items] of Object.entries(found)) {
    report.figure(`keys ${place}`, items.length, 0);
    for (const { way, protocol } of items.slice(0, 3)) report.note(`${way}, ${protocol}`);
  }
  await rm(folder, { recursive: true });
}

function leaks(text, key) {
  return [key, encodeURIComponent(key), Buffer.from(key).toString("base64")].some((form) => text.includes(form));
}

/** Returns all that a turn leaves in its process, in its file, and on the command line. */
async function leftBy({ key, protocol, where }, url) {
  const threads = await openThreads(`sqlite:${where}.db`);
  const note = tool(({ text }) => `noted ${text}`, {
    name: "note",
    description: "Notes.",
    schema: z.object({ text: z.string() }),
  });
  const model = await loadModel("gpt-4o-mini", { baseUrl: url, apiKey: key });
  const agent = createAgent({
    model,
    tools: [note],
    protocol,
    modelCalls: { maxRetries: 0 },
    checkpointer: threads.checkpointer,
  });
  const config = { configurable: { thread_id: "t" } };
  const seen = [];
  try {
    for await (const event of streamTurn(agent, { messages: "Hi there?" }, config, { prompts: true })) seen.push(event);
  } catch (error) {
    seen.push(error);
  }
  seen.push(await agent.getState(config));
  const lines = [];
  for await (const line of threads.export("t")) lines.push(line);
  await threads.close();
  const options = [
    "--model",
    "m",
    "--base-url",
    url,
    "--protocol",
    protocol,
    "--tools",
    "none",
    "--db",
    `sqlite:${where}-cli.db`,
  ];
  const written = await new Promise((resolve) => {
    const env = { ...process.env, OPENAI_API_KEY: key };
    execFile(process.execPath, [program, "ask", "--json", ...options, "Hi there?"], { env }, (_error, out, err) =>
      resolve(out + err),
    );
  });
  const files = (await readdir(join(where, ".."))).filter((name) => name.startsWith(where.split("/").at(-1)));
  const contents = await Promise.all(files.map((name) => readFile(join(where, "..", name), "latin1")));
  return {
    "in states, events and errors": inspect(seen, { depth: 16, maxStringLength: null, maxArrayLength: null }),
    "in files and exports": [...lines, ...contents].join("\n"),
    "on the command line": written,
  };
}
