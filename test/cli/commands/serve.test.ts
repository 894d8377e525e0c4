import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startLocalServer } from "../../helpers/local-server.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { scriptedServer } from "../scripted-server.js";
import { installPackages, serveHere, startProcess, without } from "../serve-process.js";

const agents = `
import { StateGraph, StateSchema, MessagesValue, START, END } from "@langchain/langgraph";
import { calculator, createAgent } from "glassloop";
import { scriptedModel } from "glassloop/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

const model = scriptedModel([" I calculate\\nAction: calculator\\nAction Input: 2 + 2", " I know\\nFinal Answer: It is 4."]);
export const support = createAgent({ model, tools: [calculator()], protocol: "react", rephrase: false });
export const slow = new StateGraph(new StateSchema({ messages: MessagesValue, count: z.number().default(0) }))
  .addNode("step", async ({ count }) => { await sleep(500); return { count: count + 1 }; })
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ count }) => (count < 4 ? "step" : END), ["step", END])
  .compile();
export const stuck = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("step", (_, { writer }) => { writer("begun"); return new Promise(() => {}); })
  .addEdge(START, "step")
  .compile();
export const notAnAgent = 1;
export const builder = new StateGraph(new StateSchema({ messages: MessagesValue })).addNode("a", () => ({})).addEdge(START, "a");
`;
const ask = (question: string) => ({ input: { messages: [{ role: "user", content: question }] } });

const aboutOf = async ({ url }: { readonly url: string }): Promise<unknown> =>
  (await fetch(`${url}/glassloop/about`)).json();

/** Makes a folder with agents of a Glassloop that is installed there, in a module and in a langgraph.json with TypeScript. */
async function folderWithAgents(): Promise<WorkingFolder> {
  const folder = await workingFolder();
  installPackages(folder.path);
  const graphs = {
    named: { path: "./named.ts:graph" },
    slow: "./my-agents.js:slow",
    built: "./my-agents.js:builder",
  };
  const files = {
    "my-agents.js": agents,
    "package.json": '{ "type": "module" }',
    "model.ts": "export const name: string | undefined = process.env.AGENT_NAME;",
    "named.ts":
      'import { support } from "./my-agents.js";\nimport { name } from "./model.js";\nif (name !== "Ann") throw new Error("no name");\nexport const graph = (): object => support;',
    ".env": "AGENT_NAME=Ann\n",
    "langgraph.json": JSON.stringify({ graphs, env: ".env" }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  return folder;
}

describe("glassloop serve", () => {
  it("serves the graphs of a langgraph.json, which have another copy of Glassloop, and finishes the step in hand at SIGTERM; with a module it goes on, and ends at once at a second signal", async () => {
    await using folder = await folderWithAgents();
    const server = await startProcess("serve", folder.path);
    const found = await server.client.assistants.search();
    expect(found.map(({ graph_id }) => graph_id).sort()).toEqual(["built", "named", "slow"]);
    const known = { name: "named", tools: [{ name: "calculator" }], models: [{ protocol: "react" }] };
    expect(await aboutOf(server)).toMatchObject({ agents: [known, { name: "slow" }, { name: "built" }] });
    const { thread_id } = await server.client.threads.create();
    const answered = await server.client.runs.wait(thread_id, "named", ask("What is 2 + 2?"));
    expect(answered).toMatchObject({ answer: "It is 4." });
    expect(await server.client.threads.get(thread_id)).toMatchObject({
      status: "idle",
      metadata: { graph_id: "named" },
    });
    const slow = await server.client.threads.create();
    const run = await server.client.runs.create(slow.thread_id, "slow", { input: {} });
    await expect.poll(async () => (await server.client.threads.getState(slow.thread_id)).next).toEqual(["step"]);
    server.signal("SIGTERM");
    expect(await server.ended()).toMatchObject({ exitCode: 0 });

    const again = await startProcess("serve", folder.path, ["my-agents.js"]);
    expect(await again.client.runs.join(slow.thread_id, run.run_id)).toMatchObject({ count: 4 });
    const stuck = await again.client.threads.create();
    const events = again.client.runs.stream(stuck.thread_id, "stuck", { input: {}, streamMode: "custom" });
    for await (const { event } of events) if (event === "custom") break;
    again.signal("SIGINT");
    const health = () => fetch(`${again.url}/health`).then(({ status }) => status);
    await expect.poll(() => health().catch(() => 0)).toBe(503);
    again.signal("SIGTERM");
    const { stderr, ...end } = await again.ended();
    expect(end).toEqual({ exitCode: null, signal: "SIGTERM" });
    expect(stderr).toMatch(
      /^Serving slow, stuck, support\. See it think in a browser: http:\/\/127\.0\.0\.1:\d+ \(Ctrl-C ends\)\nThreads: \S+threads\.db\.\nEnding\./,
    );
  });

  it("serves one agent of its options, on the threads of the command line, to those who have the key", async () => {
    await using folder = await workingFolder();
    const db = ["--db", `sqlite:${folder.path}/threads.db`];
    const offline = ["--model", "offline", ...db];
    await runProgram(["ask", "--thread", "t", ...offline, "What is 2 + 2?"]);
    const env = { GLASSLOOP_SERVER_KEY: "secret-key" };
    const { client, url, interrupt } = await serveHere(folder.path, ["--host", "0.0.0.0", ...offline], env);
    expect((await fetch(`${url}/threads/count`, { method: "POST" })).status).toBe(401);
    const answer = expect.stringContaining("4");
    expect(await client.threads.get("t")).toMatchObject({ status: "idle", values: { answer } });
    const made = await client.threads.create();
    for (const id of ["t", made.thread_id]) {
      const values = await client.runs.wait(id, "agent", ask("What is 3 + 3?"));
      expect(values).toMatchObject({ answer: expect.stringContaining("6") });
    }
    expect((await runProgram(["threads", "list", ...db])).stdout).toContain(made.thread_id);
    expect((await runProgram(["threads", "show", "t", ...db])).stdout).toContain("3 + 3");
    expect(await interrupt()).toBe(130);
  });

  it("offers models, of which each run names one, and refuses another one", async () => {
    await using folder = await workingFolder();
    await using model = await scriptedServer(() => "Final Answer: Hello.");
    const { client, url } = await serveHere(folder.path, ["--model", "first", ...model.options], {});
    expect(await aboutOf({ url })).toMatchObject({
      clientSettings: ["model"],
      agents: [{ settings: { model: { enum: ["first", "scripted"], default: "first" } } }],
    });
    const thread = await client.threads.create();
    const run = (given: object) =>
      client.runs.wait(thread.thread_id, "agent", { ...ask("Hello?"), ...given, raiseError: false });
    for (const given of [{}, { context: { model: "scripted" } }, {}])
      expect(await run(given)).toMatchObject({ answer: "Hello." });
    expect(model.server.requests.map(({ body }) => body.model)).toEqual(["first", "scripted", "first"]);
    const message = 'context.model: "third" is not possible; give one of "first", "scripted".';
    expect(await run({ context: { model: "third" } })).toMatchObject({ __error__: { message } });
  });

  it("says that its port is taken, and ends with 1 before it opens its threads", async () => {
    await using folder = await workingFolder();
    await using other = await startLocalServer(() => {});
    const { exitCode, stderr } = await folder.runHere(["serve", "--port", `${other.port}`]);
    expect(stderr).toBe(`error: Port ${other.port} is in use. Give another one: --port ${other.port + 1}.\n`);
    expect(exitCode).toBe(1);
    expect(await folder.files()).toEqual([]);
  });

  it.each([
    ["options that a file does not take", ["empty.js", "--model", "offline"], "Leave out --model, or name no file."],
    ["a file that is not there", ["other.js"], "other.js: there is no such file."],
    ["a file that cannot be read as JavaScript", ["node_modules/broken.mjs"], 'broken.mjs" shows the line.'],
    ["a langgraph.json without graphs", ["none.json"], 'none.json: give { "graphs": { "NAME"'],
    ["a file without an agent", ["empty.js"], "exports no agent. Write: export const agent = createAgent({ … });"],
    [
      "a langgraph.json of another form",
      ["wrong.json"],
      'wrong.json: graphs.a: give "./FILE.js:EXPORT", not "./a.js".',
    ],
    ["a graph that is not exported", ["unknown.json"], 'empty.js has no graph "b". It exports: a.'],
    ["a port that is none", ["--port", "70000"], "Give a whole number up to 65535"],
    [
      "a host where others can reach it, without a key",
      ["--host", "0.0.0.0"],
      "On 0.0.0.0 others can reach the server, so it needs a key: set GLASSLOOP_SERVER_KEY, or leave out --host.\n",
    ],
  ])("refuses %s", async (_, args, sentence) => {
    await using folder = await workingFolder();
    const files = {
      "empty.js": "export const a = 1;",
      // Vitest leaves it to Node there.
      "node_modules/broken.mjs": "export const a = ;",
      "none.json": '{ "graphs": {} }',
      "wrong.json": '{ "graphs": { "a": "./a.js" } }',
      "unknown.json": '{ "graphs": { "b": "./empty.js:b" } }',
    };
    mkdirSync(join(folder.path, "node_modules"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    const { exitCode, stderr } = await folder.runHere(["serve", "--port", "0", ...args]);
    expect(stderr).toContain(sentence);
    expect(exitCode).toBe(2);
  });

  it.each([
    ["tsx", "Graphs in TypeScript need the package tsx: npm install tsx"],
    ["@hono/node-server", "Servers need the package hono @hono/node-server: npm install hono @hono/node-server"],
  ])("says what to install if %s is missing", async (name, sentence) => {
    await using folder = await folderWithAgents();
    const { exitCode, stderr } = await folder.run(["serve", "--port", "0"], { env: without(name) });
    expect([exitCode, stderr]).toEqual([2, `error: ${sentence}\n`]);
  });
});
