import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client, type ThreadState } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentStateValues } from "../../src/core/state/state.js";
import { protocolNames } from "../../src/index.js";
import {
  type OpenAIServer,
  type ServerReply,
  type ServerRequest,
  startOpenAIServer,
} from "../helpers/openai-server.js";
import { type DevServer, startDevServer } from "./dev-server.js";

/** What a client sees of the state: messages as plain data. */
type Values = Omit<AgentStateValues, "messages"> & {
  readonly messages: { readonly id: string; readonly type: string; readonly content: string }[];
};

const folder = mkdtempSync(join(tmpdir(), "glassloop-dev-"));
let model: OpenAIServer;
let server: DevServer;
let client: Client<Values>;

beforeAll(async () => {
  model = await startOpenAIServer(reply);
  await start();
}, 400_000);

afterAll(async () => {
  await server?.stop();
  await model.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<void> {
  server = await startDevServer(folder, {
    GLASSLOOP_MODEL: "openai:scripted",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: model.url,
    LANGSMITH_TRACING: "false",
  });
  client = new Client<Values>({ apiUrl: server.url });
}

/** A model that multiplies with the calculator, in text or with native calls. It hangs if it is told to, or takes its time. */
function reply({ body: { messages, tools } }: ServerRequest): ServerReply {
  const texts = messages.map(({ content }) => String(content));
  const prompt = texts.join("\n");
  const [, followUp] = /Follow Up Input: (.*)\nStandalone question:$/.exec(prompt) ?? [];
  if (followUp !== undefined) return followUp;
  const question = prompt.lastIndexOf("What is");
  const asked = prompt.slice(question);
  if (asked.includes("hang")) return { hang: true };
  const [expression = "1 * 1"] = /\d+ \* \d+/.exec(asked) ?? [];
  const result = tools ? (messages.at(-1)?.role === "tool" ? texts.at(-1) : undefined) : observed(asked);
  if (result !== undefined) {
    const answer = `${expression} is ${result}, as worked out.`;
    return { text: tools ? answer : ` I know.\nFinal Answer: ${answer}`, pauseMs: asked.includes("slow") ? 100 : 0 };
  }
  if (tools) return { toolCalls: [{ name: "calculator", args: { expression }, id: `call-${messages.length}` }] };
  return ` I work it out.\nAction: calculator\nAction Input: ${expression}`;
}

function observed(asked: string): string | undefined {
  return /\nObservation: (.*)\n/.exec(asked)?.[1];
}

const ask = (content: string) => ({ messages: [{ role: "user", content }] });

async function askOn(thread: string, assistant: string, question: string): Promise<Values> {
  return valuesOf(await client.runs.wait(thread, assistant, { input: ask(question) }));
}

/** The values of a run: those of the graph's state, as the SDK does not say. */
function valuesOf(values: unknown): Values {
  return Object(values);
}

async function newThread(): Promise<string> {
  return (await client.threads.create()).thread_id;
}

async function newAssistant(context: Record<string, unknown>): Promise<string> {
  return (await client.assistants.create({ graphId: "agent", name: "test", context })).assistant_id;
}

describe("npm run dev:langgraph", () => {
  it("serves every graph, with a form for its input and its settings", async () => {
    const assistants = await client.assistants.search({ limit: 100 });
    expect(assistants.map(({ graph_id }) => graph_id).sort()).toEqual([...protocolNames, "agent", "retrieval"].sort());
    for (const { assistant_id, graph_id } of assistants) {
      const schemas: Record<string, unknown> = Object(await client.assistants.getSchemas(assistant_id));
      expect(schemas.input_schema).toMatchObject({ properties: { messages: { langgraph_type: "messages" } } });
      expect(schemas.state_schema).toMatchObject({ properties: { messages: {}, answer: {} } });
      expect(schemas.context_schema).toMatchObject({
        properties: {
          model: { title: "Model", description: expect.stringContaining("offline"), default: "openai:scripted" },
          memory: { title: "Memory", default: "buffer" },
        },
      });
      const { nodes } = await client.assistants.getGraph(assistant_id);
      const between = graph_id === "retrieval" ? ["retrieve", "grade", "write-answer"] : ["plan", "act"];
      expect(nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(["rephrase-question", "parse", ...between]));
    }
    expect(server.output()).not.toMatch(/error|descriptions? property/i);
  });

  describe.each(["react", "tool-calling"])("with %s", (graph) => {
    it("answers three turns on each of two threads at once", async () => {
      const threads = await Promise.all([newThread(), newThread()]);
      const ended = threads.map(async (thread, which) => {
        for (const number of [1, 2, 3]) {
          const { answer } = await askOn(thread, graph, `What is ${number} * ${10 + which}?`);
          expect(answer).toBe(`${number} * ${10 + which} is ${number * (10 + which)}, as worked out.`);
        }
        const { values } = await client.threads.getState(thread);
        expect(values.chatHistory.turns).toHaveLength(2);
        // As docs/studio.md says, for pages that load only the newest ten.
        expect(await client.threads.getHistory(thread, { limit: 100 })).toHaveLength(3 * 8);
        expect(values.messages.map(({ type }) => type)).toEqual(Array(3).fill(["human", "ai", "tool", "ai"]).flat());
      });
      await Promise.all(ended);
    });

    it("streams tokens, steps and events", async () => {
      const thread = await newThread();
      const seen: Record<string, unknown[]> = {};
      const modes: ("messages-tuple" | "updates" | "custom")[] = ["messages-tuple", "updates", "custom"];
      for await (const { event, data } of client.runs.stream(thread, graph, {
        input: ask("What is 6 * 7?"),
        streamMode: modes,
      })) {
        seen[event] = [...(seen[event] ?? []), data];
      }
      expect(seen.updates?.flatMap((update) => Object.keys(Object(update)))).toEqual([
        "rephrase-question",
        "plan",
        "parse",
        "act",
        "plan",
        "parse",
      ]);
      const pieces = (seen.custom ?? []).filter((event) => Object(event).type === "answer-delta");
      expect(pieces.length).toBeGreaterThan(0);
      expect(
        pieces
          .map((event) => Object(event).text)
          .join("")
          .trim(),
      ).toBe("6 * 7 is 42, as worked out.");
      expect(seen.messages?.length).toBeGreaterThan(pieces.length);
    });

    it("interrupts for a person, in the second turn too, and resumes with the decision", async () => {
      const assistant = await newAssistant({ protocol: graph, approve: "always" });
      const thread = await newThread();
      for (const [question, type, answer] of [
        ["What is 2 * 3?", "approve", "2 * 3 is 6, as worked out."],
        ["What is 3 * 3?", "refuse", expect.stringContaining("3 * 3 is")],
      ] as const) {
        await askOn(thread, assistant, question);
        const state = await client.threads.getState(thread);
        expect(state.next).toEqual(["act"]);
        const [request] = requestsIn(state);
        expect(request).toMatchObject({ tool: "calculator", input: { expression: question.slice(8, 13) } });
        const resume = { [String(request?.id)]: { type } };
        const values = valuesOf(await client.runs.wait(thread, assistant, { command: { resume } }));
        expect(values).toMatchObject({ answer, stopReason: "answered" });
        expect(values.intermediateSteps[0]?.results[0]?.status).toBe(type === "approve" ? "success" : "error");
      }
    });

    it("cancels a run, and the thread answers again", async () => {
      const thread = await newThread();
      const before = model.requests.length;
      const run = await client.runs.create(thread, graph, { input: ask("What is the hang up?") });
      await expect.poll(() => model.requests.length).toBeGreaterThan(before);
      const [request] = model.requests.slice(before);
      await client.runs.cancel(thread, run.run_id, true);
      await request?.closed;
      expect((await client.runs.get(thread, run.run_id)).status).toBe("interrupted");
      expect((await askOn(thread, graph, "What is 2 * 2?")).answer).toBe("2 * 2 is 4, as worked out.");
    });
  });

  it("follows the settings of an assistant when they change", async () => {
    const assistant = await newAssistant({ protocol: "react" });
    const thread = await newThread();
    const hadTools = async (question: string, context: Record<string, unknown> = {}) => {
      const before = model.requests.length;
      const run = await client.runs.wait(thread, assistant, { input: ask(question), context });
      expect(valuesOf(run).stopReason).toBe("answered");
      return model.requests.slice(before).some(({ body }) => body.tools !== undefined);
    };
    expect(await hadTools("What is 2 * 7?")).toBe(false);
    await client.assistants.update(assistant, { context: { protocol: "tool-calling", instructions: "Be brief." } });
    expect(await hadTools("What is 3 * 7?")).toBe(true);
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("Be brief.");
    expect(await hadTools("What is 4 * 7?", { protocol: "react" })).toBe(false);
    const wrong = client.runs.wait(thread, assistant, { input: ask("What is 5 * 7?"), context: { maxSteps: 0 } });
    await expect(wrong).rejects.toThrow("context.maxSteps");
  });

  it("keeps its threads when it ends, and leaves no process and no other file", async () => {
    const thread = await newThread();
    await askOn(thread, "react", "What is 8 * 8?");
    await server.stop();
    await expect(fetch(`${server.url}/ok`)).rejects.toThrow();
    expect(readdirSync(folder).sort()).toEqual([".gitignore", ".langgraph_api", "langgraph.json", "node_modules"]);
    await start();
    const { values } = await client.threads.getState(thread);
    expect(values.answer).toBe("8 * 8 is 64, as worked out.");
  });
});

/** The requests of the calls that wait for a person. */
function requestsIn({ tasks }: ThreadState<Values>): { id: string; tool: string; input: unknown }[] {
  return tasks.flatMap(({ interrupts }) => interrupts.flatMap(({ value }) => Object(value).requests));
}

it("npm run dev:langgraph has a clear error if its packages cannot be installed", () => {
  const copy = mkdtempSync(join(tmpdir(), "glassloop-studio-"));
  for (const file of ["dev.mjs", "install-server.mjs", "package.json", "package-lock.json"]) {
    cpSync(join("studio", file), join(copy, file));
  }
  const unreachable = { npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" };
  const env = { ...process.env, ...unreachable, npm_config_cache: join(copy, "cache") };
  const { status, stderr } = spawnSync(process.execPath, [join(copy, "dev.mjs")], { env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/LangGraph's dev server could not be installed\. This needs npm's registry, once\./);
  rmSync(copy, { recursive: true });
});

it("the Dockerfile of LangGraph's command builds", () => {
  const cli = resolve("studio/node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
  const env = { ...process.env, LANGGRAPH_CLI_NO_ANALYTICS: "1" };
  const lines = execFileSync(process.execPath, [cli, "dockerfile", "-"], { env, encoding: "utf8" }).split("\n");
  const steps = lines.filter((line) => /^RUN /.test(line)).map((line) => line.slice("RUN ".length));
  expect(steps[0]).toBe("npm ci");
  const variables = lines.flatMap((line) => [.../^ENV (NPM_\w+)=(.*)$/g[Symbol.matchAll](line)]);
  const image = mkdtempSync(join(tmpdir(), "glassloop-image-"));
  for (const path of execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").filter(existsSync)) {
    mkdirSync(join(image, path, ".."), { recursive: true });
    cpSync(path, join(image, path));
  }
  const inImage = {
    ...process.env,
    NODE_ENV: "production",
    ...Object.fromEntries(variables.map(([, name, value]) => [name, value])),
  };
  // What it would install and build is what this checkout has.
  const installing = execFileSync("npm", ["ci", "--dry-run", "--ignore-scripts"], {
    cwd: image,
    env: inImage,
    encoding: "utf8",
  });
  expect(installing).toContain("add typescript ");
  symlinkSync(resolve("node_modules"), join(image, "node_modules"), "junction");
  cpSync("dist", join(image, "dist"), { recursive: true });
  const loader = resolve("studio/node_modules/tsx/dist/cli.mjs");
  const program = `import { graph } from "./graphs/react.ts"; graph.invoke({ messages: "What is 6 * 7?" }).then(({ answer }) => console.log(answer));`;
  const said = execFileSync(process.execPath, [loader, "--eval", program], {
    cwd: image,
    env: inImage,
    encoding: "utf8",
  });
  expect(said).toContain("42");
  rmSync(image, { recursive: true });
});
