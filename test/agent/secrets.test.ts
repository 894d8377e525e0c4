import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { tool } from "@langchain/core/tools";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, loadModel, openThreads, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { chunk, startWireServer, type WireResponse } from "../helpers/wire-server.js";
import { matrix } from "../matrix/matrix.js";

const key = "key-TOPSECRET-0123456789";
const thread = { configurable: { thread_id: "t" } };

/** The ways in which a server can send a key back. */
const auth = `Bearer ${key}`;
const refusal = (status: number): WireResponse => ({
  status,
  headers: { "x-echo": auth },
  body: JSON.stringify({ error: { message: `You sent ${auth}.` } }),
});
const call = {
  index: 0,
  id: "1",
  type: "function",
  function: { name: "note", arguments: JSON.stringify({ text: auth }) },
};
const echoes: Readonly<Record<string, WireResponse>> = {
  "a refusal": refusal(400),
  "a wrong key": refusal(401),
  "no permission": refusal(403),
  "an unknown model": refusal(404),
  "a failure": refusal(500),
  "an error in a stream": { body: `data: ${JSON.stringify({ error: { message: `Broke off: ${auth}` } })}\n\n` },
  "an answer": {
    body: `${[...`Your header was ${auth}, I think.`].map((content) => chunk({ content })).join("")}data: [DONE]\n\n`,
  },
  "a tool call": { body: `${chunk({ tool_calls: [call] }, "tool_calls")}data: [DONE]\n\n` },
};
const cases = Object.entries(echoes).flatMap(([name, echo]) =>
  (["tool-calling", "react"] as const).map((protocol) => ({ name, echo, protocol })),
);
const usual = cases.filter(
  ({ name, protocol }) =>
    protocol === (name === "an answer" ? "react" : "tool-calling") && !["a wrong key", "no permission"].includes(name),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "glassloop-secrets-"));
});
afterAll(() => rm(folder, { recursive: true }));

const note = tool(({ text }) => `noted ${text}`, {
  name: "note",
  description: "Notes.",
  schema: z.object({ text: z.string() }),
});

it.each(matrix(cases, ...usual))(
  "a key that a server sends back in $name reaches no state, event, error, file or export ($protocol)",
  async ({ name, echo, protocol }) => {
    await using server = await startWireServer([echo]);
    const threads = await openThreads(`sqlite:${join(folder, `${name} ${protocol}.db`)}`);
    const model = await loadModel("gpt-4o-mini", { baseUrl: server.url, apiKey: key });
    const agent = createAgent({
      ...{ model, tools: [note], protocol, checkpointer: threads.checkpointer },
      ...{ modelCalls: { maxRetries: 0 }, limits: { maxSteps: 2 } },
    });
    const shown: unknown[] = [];
    try {
      const turn = streamTurn(agent, { messages: "Hi there?" }, thread, { prompts: true });
      for await (const event of turn) shown.push(event);
    } catch (error) {
      shown.push(error);
    }
    expect(shown.length).toBeGreaterThan(2);
    shown.push(await agent.getState(thread));
    for await (const line of threads.export("t")) shown.push(line);
    await threads.close();
    const files = (await readdir(folder)).filter((one) => one.startsWith(`${name} ${protocol}`));
    for (const file of files) shown.push(await readFile(join(folder, file), "latin1"));
    const all = inspect(shown, { depth: 14, maxStringLength: null, maxArrayLength: null });
    expect(all.length).toBeGreaterThan(5_000);
    expect(all).not.toContain(key);
  },
);

it("a key that a tool returns, in its words or its error, reaches no state", async () => {
  const leaky = tool(
    ({ text }) => {
      if (text === "throw") throw new Error(`no luck with ${key}`);
      return [`the key is ${key}`, { raw: [key] }];
    },
    {
      name: "leak",
      description: "Leaks.",
      schema: z.object({ text: z.string() }),
      responseFormat: "content_and_artifact",
    },
  );
  await loadModel("gpt-4o-mini", { apiKey: key, baseUrl: "http://127.0.0.1:9/v1" });
  const call = (text: string) => ({ tool_calls: [{ name: "leak", args: { text } }] });
  const agent = createAgent({ model: scriptedModel([call("say"), call("throw"), "Done."]), tools: [leaky] });
  const state = await agent.invoke({ messages: "Go" });
  expect(JSON.stringify(state)).not.toContain(key);
  expect(state.intermediateSteps[0]?.results[0]).toMatchObject({
    observation: "the key is [secret]",
    artifact: { raw: ["[secret]"] },
  });
});

it("the folder of the threads is kept out of repositories", async () => {
  const path = join(folder, ".glassloop");
  await (await openThreads(`sqlite:${path}/threads.db`)).close();
  expect(await readFile(join(path, ".gitignore"), "utf8")).toBe("*\n");
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});
