import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type WorkingFolder, workingFolder } from "../run-cli.js";
import { installPackages, startServe, without } from "../serve-process.js";

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
const ask = { input: { messages: [{ role: "user", content: "What is 2 + 2?" }] } };

/** Makes a folder with a module that exports agents of a Glassloop that is installed there. */
async function folderWithAgents(): Promise<WorkingFolder> {
  const folder = await workingFolder();
  installPackages(folder.path);
  writeFileSync(join(folder.path, "my-agents.js"), agents);
  writeFileSync(join(folder.path, "package.json"), '{ "type": "module" }');
  return folder;
}

describe("glassloop serve", () => {
  it("serves the agents of a module that have another copy of Glassloop, and finishes the step in hand at SIGTERM", async () => {
    await using folder = await folderWithAgents();
    const server = await startServe(folder.path, ["my-agents.js"]);
    const { client } = server;
    const { thread_id } = await client.threads.create();
    expect(await client.runs.wait(thread_id, "support", ask)).toMatchObject({ answer: "It is 4." });
    expect(await client.threads.get(thread_id)).toMatchObject({ status: "idle", metadata: { graph_id: "support" } });

    const slow = await client.threads.create();
    const run = await client.runs.create(slow.thread_id, "slow", { input: {} });
    await expect.poll(async () => (await client.threads.getState(slow.thread_id)).next).toEqual(["step"]);
    server.signal("SIGTERM");
    const end = await server.ended();
    expect(end.exitCode).toBe(143);
    expect(end.stderr).toMatch(
      /^Serving slow, stuck, support on http:\/\/127\.0\.0\.1:\d+\. Ctrl-C ends\.\nThreads: \S+threads\.db\.\nEnding\./,
    );

    const again = await startServe(folder.path, ["my-agents.js"]);
    const values = await again.client.runs.join(slow.thread_id, run.run_id);
    expect(values).toMatchObject({ count: 4 });
    again.signal("SIGINT");
    expect((await again.ended()).exitCode).toBe(130);
  });

  it("ends at once at a second signal, of either kind", async () => {
    await using folder = await folderWithAgents();
    const server = await startServe(folder.path, ["my-agents.js"]);
    const { thread_id } = await server.client.threads.create();
    const events = server.client.runs.stream(thread_id, "stuck", { input: {}, streamMode: "custom" });
    for await (const { event } of events) if (event === "custom") break;
    server.signal("SIGINT");
    await expect
      .poll(() =>
        fetch(`${server.url}/health`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(503);
    server.signal("SIGTERM");
    expect(await server.ended()).toMatchObject({ exitCode: null, signal: "SIGTERM" });
  });

  it("serves one agent of its options, on the threads of the command line", async () => {
    await using folder = await workingFolder();
    const offline = ["--model", "offline"];
    await folder.run(["ask", "--thread", "t", ...offline, "What is 2 + 2?"]);
    const server = await startServe(folder.path, offline);
    const { client } = server;
    expect(await client.threads.get("t")).toMatchObject({
      status: "idle",
      values: { answer: expect.stringContaining("4") },
    });
    const input = { messages: [{ role: "user", content: "What is 3 + 3?" }] };
    expect(await client.runs.wait("t", "agent", { input })).toMatchObject({ answer: expect.stringContaining("6") });
    const made = await client.threads.create();
    await client.runs.wait(made.thread_id, "agent", { input });
    const shown = await folder.run(["threads", "list"]);
    expect(shown.stdout).toContain(made.thread_id);
    expect((await folder.run(["threads", "show", "t"])).stdout).toContain("3 + 3");
  });

  it("needs a key where others can reach it, and then checks it", async () => {
    await using folder = await workingFolder();
    const args = ["--host", "0.0.0.0", "--model", "offline", "--db", "memory:"];
    const refused = await folder.run(["serve", ...args]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toBe(
      "error: On 0.0.0.0 others can reach the server, so it needs a key: set GLASSLOOP_SERVER_KEY, or leave out --host.\n",
    );
    const server = await startServe(folder.path, args, { GLASSLOOP_SERVER_KEY: "secret-key" });
    const url = server.url.replace("0.0.0.0", "127.0.0.1");
    const count = (key: string) => fetch(`${url}/threads/count`, { method: "POST", headers: { "X-Api-Key": key } });
    expect([(await count("")).status, (await count("secret-key")).status]).toEqual([401, 200]);
  });

  it("says that its port is taken, and ends with 1 before it opens its threads", async () => {
    await using folder = await workingFolder();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { exitCode, stderr } = await folder.run(["serve", "--port", String(port)]);
    other.close();
    expect([exitCode, stderr]).toEqual([
      1,
      `error: Port ${port} is in use. Give another one: --port ${Number(port) + 1}.\n`,
    ]);
    expect(await folder.files()).toEqual([]);
  });

  it.each([
    [
      "options that a file does not take",
      ["my-agents.js", "--model", "offline"],
      "Leave out --model, or name no file.",
    ],
    ["a file that is not there", ["other.js"], "other.js: there is no such file."],
    ["a file that cannot be read as JavaScript", ["broken.js"], 'broken.js" shows the line.'],
    ["a langgraph.json without graphs", ["none.json"], 'none.json: give { "graphs": { "NAME"'],
    ["a file without an agent", ["empty.js"], "exports no agent. Write: export const agent = createAgent({ … });"],
    [
      "a langgraph.json of another form",
      ["wrong.json"],
      'wrong.json: graphs.a: give "./FILE.js:EXPORT", not "./a.js".',
    ],
    ["a graph that is not exported", ["unknown.json"], 'empty.js has no graph "b". It exports: a.'],
    ["a port that is none", ["--port", "70000"], "Give a whole number up to 65535"],
  ])("refuses %s", async (_, args, sentence) => {
    await using folder = await folderWithAgents();
    writeFileSync(join(folder.path, "empty.js"), "export const a = 1;");
    writeFileSync(join(folder.path, "broken.js"), "export const a = ;");
    writeFileSync(join(folder.path, "none.json"), '{ "graphs": {} }');
    writeFileSync(join(folder.path, "wrong.json"), '{ "graphs": { "a": "./a.js" } }');
    writeFileSync(join(folder.path, "unknown.json"), '{ "graphs": { "b": "./empty.js:b" } }');
    const { exitCode, stderr } = await folder.run(["serve", "--port", "0", ...args]);
    expect(stderr).toContain(sentence);
    expect(exitCode).toBe(2);
  });

  it("serves graphs in TypeScript of a langgraph.json with its variables, and says which package that needs", async () => {
    await using folder = await folderWithAgents();
    const { path } = folder;
    writeFileSync(
      join(path, "agent.ts"),
      'import { support } from "./my-agents.js";\nexport const graph = (): object => support;',
    );
    writeFileSync(join(path, "model.ts"), "export const name: string | undefined = process.env.AGENT_NAME;");
    writeFileSync(
      join(path, "named.ts"),
      'import { support } from "./my-agents.js";\nimport { name } from "./model.js";\nif (name !== "Ann") throw new Error("no name");\nexport const graph = support;',
    );
    writeFileSync(join(path, ".env"), "AGENT_NAME=Ann\n");
    const graphs = { made: "./agent.ts:graph", named: { path: "./named.ts:graph" }, built: "./my-agents.js:builder" };
    writeFileSync(join(path, "langgraph.json"), JSON.stringify({ graphs, env: ".env" }));
    const server = await startServe(path);
    const found = await server.client.assistants.search();
    expect(found.map(({ graph_id }) => graph_id).sort()).toEqual(["built", "made", "named"]);

    const { exitCode, stderr } = await folder.run(["serve", "--port", "0"], { env: without("tsx") });
    expect([exitCode, stderr]).toEqual([2, "error: Graphs in TypeScript need the package tsx: npm install tsx\n"]);
  });

  it.each(["hono", "@hono/node-server"])("says what to install if %s is missing", async (name) => {
    await using folder = await workingFolder();
    const args = ["serve", "--port", "0", "--model", "offline"];
    const { exitCode, stderr } = await folder.run(args, { env: without(name) });
    const sentence = "Servers need the package hono @hono/node-server: npm install hono @hono/node-server";
    expect([exitCode, stderr]).toEqual([2, `error: ${sentence}\n`]);
  });
});
