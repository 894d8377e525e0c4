// A model server that knows the plan. It speaks the OpenAI API over HTTP, and counts how often each thing was asked.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { answer, picture, question, steps } from "./plan.mjs";

/**
 * Starts the server.
 *
 * @param {() => number} random The function that draws the time of each reply.
 * @param {boolean} pictures True if each question has a picture. A request of a step without it is refused.
 * @returns {Promise<{ url: string, calls: Map<string, number>, close: () => void }>} The keys of `calls` are
 *   `<run> <turn> <what>`. `<what>` is the number of a step, or `rephrase`.
 */
export async function startModelServer(random, pictures) {
  const calls = new Map();
  const server = createServer(async (request, response) => {
    const { messages, tools, stream } = await json(request);
    const { key, message, image } = reply(messages, tools);
    if (pictures && tools && !JSON.stringify(messages).includes(image)) return response.writeHead(400).end();
    calls.set(key, (calls.get(key) ?? 0) + 1);
    await sleep(random() * 15);
    if (stream) sendStream(response, message);
    else sendWhole(response, message);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    calls,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Makes the model's reply from the messages alone, so that a call made twice gets the same reply. */
function reply(messages, tools) {
  const asked = messages
    .flatMap(({ content }) => [...String(JSON.stringify(content)).matchAll(/Run (\d+) turn (\d+): append/g)])
    .at(-1);
  const [run, turn] = asked.slice(1).map(Number);
  if (!tools) return { key: `${run} ${turn} rephrase`, message: { content: question(run, turn) } };
  const lastQuestion = messages.findLastIndex(({ role }) => role === "user");
  const step = messages.slice(lastQuestion).filter(({ role }) => role === "assistant").length;
  const tool_calls = steps[step]?.map(({ name, line }, index) => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify({ turn, line }) },
  }));
  const message = tool_calls ? { content: `Step ${step + 1}.`, tool_calls } : { content: answer(run, turn) };
  return { key: `${run} ${turn} ${step + 1}`, message, image: picture(run, turn) };
}

function sendWhole(response, message) {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ id: "1", object: "chat.completion", choices }));
}

function sendStream(response, message) {
  const chunk = (delta, finish_reason) =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const finish = chunk({}, message.tool_calls ? "tool_calls" : "stop");
  response.end(`${chunk({ role: "assistant", ...message }, null)}${finish}data: [DONE]\n\n`);
}
