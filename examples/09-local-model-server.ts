// Local model server: any server that speaks OpenAI's API is a model. Without BASE_URL a tiny one runs in this process.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { calculator, createAgent, loadModel } from "glassloop";
import { transcript } from "glassloop/testing";

const replies = [
  " I work it out.\nAction: calculator\nAction Input: 6*7\nObserv",
  " I now know the final answer.\nFinal Answer: 6 times 7 is 42.",
];
const server = createServer((request, response) => {
  const [content = ""] = replies.splice(0, 1);
  const chunk = { id: "1", object: "chat.completion.chunk", created: 0, model: "tiny" };
  const choices = [{ index: 0, delta: { role: "assistant", content }, finish_reason: "stop" }];
  console.log(`${request.method} ${request.url}`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`data: ${JSON.stringify({ ...chunk, choices })}\n\ndata: [DONE]\n\n`);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

// Ollama: BASE_URL=http://127.0.0.1:11434/v1 MODEL=llama3.2 npm run example 09-local-model-server
const { BASE_URL = `http://127.0.0.1:${port}/v1`, MODEL = "tiny" } = process.env;
const model = await loadModel(MODEL, { baseUrl: BASE_URL });
const agent = createAgent({ model, tools: [calculator()], protocol: "react" });
console.log(transcript(await agent.invoke({ messages: "What is 6 times 7?" })));
server.close();
