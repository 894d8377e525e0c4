import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/**
 * Starts an HTTP server on 127.0.0.1 with the API of OpenAI that plays the model of a conversation. `take(turn)` gives it the
 * script of the next turn. The server rephrases a question if asked to, makes the call of the turn, and answers.
 *
 * @param protocol The protocol in which it is asked: `tool-calling` or `react`.
 */
export async function startModelServer(protocol) {
  const requests = [];
  let script = [];
  let standalone = "";
  let call = 0;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    const words = body.messages.map(
      ({ content, tool_calls: calls }) => `${content ?? ""}${JSON.stringify(calls ?? "")}`,
    );
    requests.push({ prompt: promptOf(body), text: words.join("\n") });
    const isStep = protocol === "react" ? words.at(-1).includes("Use the following format") : body.tools !== undefined;
    const { content = null, toolCalls = [] } = isStep ? script.shift() : { content: standalone };
    send(response, body, { content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests,
    take(turn) {
      standalone = turn.standalone ?? turn.ask;
      const isText = protocol === "react";
      const args = JSON.stringify({ query: turn.call });
      call += 1;
      const act = isText
        ? { content: ` I look it up.\nAction: look_up\nAction Input: ${args}` }
        : { toolCalls: [{ id: `call_${call}`, type: "function", function: { name: "look_up", arguments: args } }] };
      const answer = { content: isText ? ` I know the answer.\nFinal Answer: ${turn.answer}` : turn.answer };
      script = turn.call === undefined ? [answer] : [act, answer];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Writes what a server makes tokens of, in its order: the tools, then the messages. */
function promptOf({ tools = [], messages }) {
  return [
    JSON.stringify(tools),
    ...messages.map(({ role, content, ...rest }) => JSON.stringify([role, content, rest])),
  ].join("\n");
}

function send(response, { stream, model }, message) {
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  const frame = { id: randomUUID(), created: 0, model };
  if (!stream) {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...frame, object: "chat.completion", choices, usage }));
    return;
  }
  const calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
  const delta = { role: "assistant", content: message.content ?? "", ...(calls && { tool_calls: calls }) };
  const chunk = (choice) =>
    `data: ${JSON.stringify({ ...frame, object: "chat.completion.chunk", choices: [choice] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(chunk({ index: 0, delta, finish_reason: null }));
  response.end(`${chunk({ index: 0, delta: {}, finish_reason })}data: [DONE]\n\n`);
}
