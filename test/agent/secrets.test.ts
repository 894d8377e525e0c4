import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { TurnEvent } from "../../src/core/run/events.js";
import { createAgent, loadModel, openThreads, streamTurn } from "../../src/index.js";
import { scriptedModel } from "../../src/testing/index.js";

const key = "key-TOPSECRET-0123456789";
const thread = { configurable: { thread_id: "t" } };

/** The ways in which a server can send a key back. */
const echoes = {
  "a refusal": (auth: string) => ({ status: 400, body: { error: { message: `You sent ${auth}.` } } }),
  "a wrong key": (auth: string) => ({ status: 401, body: { error: { message: `Wrong: ${auth}` } } }),
  "no permission": (auth: string) => ({ status: 403, body: { error: { message: `No: ${auth}` } } }),
  "an unknown model": (auth: string) => ({ status: 404, body: { error: { message: `None for ${auth}` } } }),
  "a failure": (auth: string) => ({ status: 500, body: { error: { message: `Failed for ${auth}` } } }),
  "an error in a stream": (auth: string) => ({ stream: [{ error: { message: `Broke off: ${auth}` } }] }),
  "an answer": (auth: string) => ({
    stream: [...`Your header was ${auth}, I think.`].map((content) => ({
      choices: [{ index: 0, delta: { content } }],
    })),
  }),
  "a tool call": (auth: string) => ({
    stream: [
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [
                {
                  index: 0,
                  id: "1",
                  type: "function",
                  function: { name: "note", arguments: JSON.stringify({ text: auth }) },
                },
              ],
            },
            finish_reason: "tool_calls",
          },
        ],
      },
    ],
  }),
} satisfies Record<string, (auth: string) => { status?: number; body?: unknown; stream?: unknown[] }>;

async function startEcho(echo: (typeof echoes)[keyof typeof echoes]) {
  const server = createServer((request, response) => {
    request.resume();
    const { status, body, stream } = {
      status: 200,
      body: {},
      stream: undefined,
      ...echo(request.headers.authorization ?? ""),
    };
    response.writeHead(status, {
      "content-type": stream ? "text/event-stream" : "application/json",
      "x-echo": request.headers.authorization,
    });
    if (stream === undefined) return response.end(JSON.stringify(body));
    for (const chunk of stream)
      response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", ...chunk })}\n\n`);
    return response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

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

describe.each(Object.entries(echoes))("a key that a server sends back in %s", (name, echo) => {
  it.each(["react", "tool-calling"] as const)(
    "reaches no state, event, error, file or export (%s)",
    async (protocol) => {
      await using server = await startEcho(echo);
      const file = join(folder, `${name} ${protocol}.db`);
      const threads = await openThreads(`sqlite:${file}`);
      const memory = new MemorySaver();
      const model = await loadModel("gpt-4o-mini", { baseUrl: server.url, apiKey: key });
      const options = { model, tools: [note], protocol, modelCalls: { maxRetries: 0 }, limits: { maxSteps: 2 } };
      const shown: unknown[] = [];
      for (const checkpointer of [threads.checkpointer, memory]) {
        const agent = createAgent({ ...options, checkpointer });
        const events: TurnEvent[] = [];
        try {
          for await (const event of streamTurn(agent, { messages: "Hi there?" }, thread, { prompts: true }))
            events.push(event);
        } catch (error) {
          shown.push(error);
        }
        expect(events.length).toBeGreaterThan(2);
        shown.push(events, await agent.getState(thread), memory);
      }
      const lines: string[] = [];
      for await (const line of threads.export("t")) lines.push(line);
      await threads.close();
      const files = await Promise.all(
        (await readdir(folder))
          .filter((one) => one.startsWith(`${name} ${protocol}`))
          .map((one) => readFile(join(folder, one), "latin1")),
      );
      const all = [inspect(shown, { depth: 14, maxStringLength: null, maxArrayLength: null }), ...lines, ...files].join(
        "\n",
      );
      expect(all.length).toBeGreaterThan(5_000);
      expect(all).not.toContain(key);
    },
  );
});

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
