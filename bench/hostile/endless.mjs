// Models and tools that never end. Each turn must end in time, with its reason, and the thread must go on.
import { createServer } from "node:http";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { z } from "zod";
import { createAgent, loadModel } from "../../dist/index.js";

const longestMs = 6000;
const native = "tool-calling";
const protocols = ["react", native];

function chunk(delta) {
  return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
}

/** Writes a reply: a text, a call of a tool, or several calls. */
function reply({ text, calls = [] }) {
  const tool_calls = calls.map(({ name, args }, index) => ({
    index,
    id: `c${index}`,
    type: "function",
    function: { name, arguments: args },
  }));
  return `${chunk({ ...(text && { content: text }), ...(calls.length > 0 && { tool_calls }) })}data: [DONE]\n\n`;
}

const inWords = (name, input) => ({ text: ` I go on\nAction: ${name}\nAction Input: ${input}` });
const call = (protocol, name, text) =>
  protocol === native ? { calls: [{ name, args: JSON.stringify({ text }) }] } : inWords(name, text);
const deep = (levels) => `${'{"text":'.repeat(levels)}1${"}".repeat(levels)}`;

/** What the model does. Each gets the protocol and the number of the request, and returns a reply, or how it hangs. */
const models = {
  "goes on for ever": (protocol, n) => call(protocol, "note", `thing ${n}`),
  "repeats a call": (protocol) => call(protocol, "note", "the same"),
  "makes two calls in turn": (protocol, n) => call(protocol, "note", n % 2 ? "one" : "two"),
  "changes case and blanks": (protocol, n) => call(protocol, "note", n % 2 ? "The  Same" : "the same "),
  "writes what cannot be read": (protocol) =>
    protocol === native ? { calls: [{ name: "note", args: "{" }] } : { text: "Action:" },
  "never stops its stream": () => "endless",
  "never answers": () => "silent",
  "makes 10,000 calls": (protocol) =>
    protocol === native
      ? { calls: Array.from({ length: 10_000 }, (_, n) => ({ name: "note", args: JSON.stringify({ text: `${n}` }) })) }
      : inWords("note", "x ".repeat(10_000)),
  "nests 5,000 levels": (protocol) =>
    protocol === native ? { calls: [{ name: "note", args: deep(5000) }] } : inWords("note", deep(5000)),
  "calls a tool that never returns": (protocol, n) => call(protocol, "hang", `${n}`),
  "calls a tool that returns 1 MB": (protocol, n) => call(protocol, "large", `${n}`),
};

async function startServer(protocol, behave) {
  let requests = 0;
  let isOver = false;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    const wanted = isOver ? { text: " I know\nFinal Answer: fine" } : behave(protocol, requests);
    if (wanted === "silent") return;
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (wanted !== "endless") {
      response.end(reply(wanted));
      return;
    }
    const write = () =>
      response.destroyed || response.write(chunk({ content: "word ".repeat(2_000) }), () => setImmediate(write));
    write();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}/v1`, end: () => (isOver = true) };
}

const schema = z.object({ text: z.string() });
const tools = [
  tool(({ text }) => `noted ${text}`, { name: "note", description: "Notes.", schema }),
  tool(() => new Promise(() => {}), { name: "hang", description: "Hangs.", schema }),
  tool(() => "much ".repeat(200_000), { name: "large", description: "Returns much.", schema }),
];

/** Runs each model in each protocol until its turn ends, and then asks the next question. */
export async function endless(_chance, report) {
  const found = { "turns that did not end in time": [], "turns without a reason": [], "threads that do not go on": [] };
  for (const protocol of protocols) {
    for (const [name, behave] of Object.entries(models)) {
      const { server, url, end } = await startServer(protocol, behave);
      const model = await loadModel("gpt-4o-mini", { baseUrl: url });
      const limits = { maxTurnMs: 3_000, toolTimeoutMs: 100 };
      const parts = { model, tools, protocol, rephrase: false, checkpointer: new MemorySaver() };
      const agent = createAgent({ ...parts, limits, modelCalls: { maxRetries: 0 } });
      const config = { configurable: { thread_id: "t" } };
      const start = performance.now();
      const ended = await agent.invoke({ messages: "Go" }, config).catch((error) => ({ error }));
      const time = Math.round(performance.now() - start);
      report.note(`${name}, ${protocol}: ${ended.stopReason ?? ended.error?.message} after ${time} ms`);
      if (time > longestMs) found["turns that did not end in time"].push(name);
      if (!ended.stopReason || !ended.answer) found["turns without a reason"].push(name);
      end();
      // On a busy machine to read many megabytes takes all of three seconds, and the server closes an idle connection.
      const patient = createAgent(parts);
      const next = await patient.invoke({ messages: "And now?" }, config).catch((error) => ({ answer: error.message }));
      if (!/fine/.test(next.answer)) found["threads that do not go on"].push(name);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }
  for (const [figure, names] of Object.entries(found)) report.figure(figure, names.length, 0);
}
