import { execFile } from "node:child_process";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { startLocalServer } from "../../helpers/local-server.js";

const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** A module that prints each address to which the process looks for a way: names, connections, datagrams. */
const guard = dataUrl(`
  import dgram from "node:dgram";
  import dns from "node:dns";
  import net from "node:net";
  const watch = (object, method, address) => {
    const original = object[method];
    object[method] = function (...args) {
      console.log("leaving: " + address(args));
      return original.apply(this, args);
    };
  };
  const target = ([given]) => {
    const { host, port, path } = [given].flat()[0];
    return path ?? host + ":" + port;
  };
  watch(net.Socket.prototype, "connect", target);
  watch(dns, "lookup", ([host]) => host);
  watch(dns.promises, "lookup", ([host]) => host);
  watch(dgram.Socket.prototype, "send", () => "a datagram");`);

/** A module that makes a package one that is not installed. */
const without = (name: string) => {
  const hook = dataUrl(`
    export async function resolve(specifier, context, next) {
      if (specifier === ${JSON.stringify(name)}) throw new Error("This package is not installed.");
      return next(specifier, context);
    }`);
  return dataUrl(`import { register } from "node:module"; register(${JSON.stringify(hook)});`);
};

const program = `
  import { calculator, createAgent, documentSearch, openThreads } from "glassloop";
  import { scriptedModel } from "glassloop/testing";
  const threads = await openThreads("memory:");
  const ask = async (options, question) => {
    const agent = createAgent({ ...options, checkpointer: threads.checkpointer });
    const config = { configurable: { thread_id: question } };
    console.log((await agent.invoke({ messages: question }, config)).answer);
  };
  const search = documentSearch({ folder: "knowledge" });
  await ask({ model: "offline", tools: [calculator(), search] }, "What is the world record for solving a Rubik's cube?");
  const replies = ["Action: calculator\\nAction Input: 6*7", "Final Answer: 42"];
  await ask({ model: scriptedModel(replies), protocol: "react", name: "sums", tools: [calculator()] }, "6*7?");
  search.close();
  await threads.close();`;

/** Runs turns in a process of their own. Returns what they print, with the addresses that the process looked for. */
async function run(env: Record<string, string> = {}, imports: readonly string[] = []): Promise<string[]> {
  const options = [guard, ...imports].flatMap((url) => ["--import", url]);
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...options, "--input-type=module", "-e", program],
    { env: { PATH: process.env.PATH, ...env } },
  );
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

const answers = [expect.stringMatching(/3\.05 seconds/), "42"];

test("by default nothing leaves the machine", async () => {
  expect(await run()).toEqual(answers);
});

test("an agent works without OpenTelemetry", async () => {
  expect(await run({}, [without("@opentelemetry/api")])).toEqual(answers);
});

const runSchema = z.object({
  id: z.string(),
  name: z.string(),
  run_type: z.string(),
  parent_run_id: z.string().nullish(),
  end_time: z.unknown().optional(),
  dotted_order: z.string(),
});
type Run = z.infer<typeof runSchema>;
const batchSchema = z.object({
  post: z.array(runSchema).default([]),
  patch: z.array(z.looseObject({ id: z.string() })).default([]),
});

test("only LangSmith gets turn, nodes, models and tools, if its variables are set", async () => {
  const runs = new Map<string, Run>();
  await using server = await startLocalServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") return response.end('{"batch_ingest_config":{"use_multipart_endpoint":false}}');
    const { post, patch } = batchSchema.parse(await json(request));
    for (const run of post) runs.set(run.id, run);
    for (const change of patch) runs.set(change.id, runSchema.parse({ ...runs.get(change.id), ...change }));
    response.end("{}");
  });
  const printed = await run({
    LANGSMITH_TRACING: "true",
    LANGSMITH_API_KEY: "none",
    LANGSMITH_ENDPOINT: server.origin,
  });
  const left = printed.filter((line) => line.startsWith("leaving: "));
  expect(new Set(left)).toEqual(new Set([`leaving: 127.0.0.1:${server.port}`]));
  const children = (parent: Run | undefined): Run[] =>
    [...runs.values()]
      .filter((run) => (run.parent_run_id ?? undefined) === parent?.id)
      .sort((one, other) => (one.dotted_order < other.dotted_order ? -1 : 1));
  const tree = (run: Run): string[] => [
    `${run.run_type} ${run.name}`,
    ...children(run)
      .flatMap(tree)
      .map((line) => `  ${line}`),
  ];
  const turn = children(undefined).find(({ name }) => name === "sums");
  expect(turn && tree(turn)).toEqual([
    "chain sums",
    "  chain __start__",
    "  chain rephrase-question",
    "  chain plan",
    "    llm ScriptedModel",
    "  chain parse",
    "  chain act",
    "    tool calculator",
    "  chain plan",
    "    llm ScriptedModel",
    "  chain parse",
  ]);
  expect([...runs.values()].filter(({ end_time }) => !end_time)).toEqual([]);
});
