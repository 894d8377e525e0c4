import { expect, it } from "vitest";
import { startOpenAIServer } from "./helpers/openai-server.js";
import { snippetsOf, UserFolder } from "./helpers/snippets.js";

const programs = snippetsOf("docs/serving.md").filter(({ file }) => file !== undefined);

/** What a test adds to a program of the page: a question to the server, over the SDK's client where it has a socket. */
const ask = `
const body = JSON.stringify({ assistant_id: "support", input: { messages: [{ role: "user", content: "2+2?" }] } });
const request = (path) => [path, { method: "POST", body, headers: { "Content-Type": "application/json" } }];`;
const uses: Readonly<Record<string, string>> = {
  "server.mjs": `${ask}
    if (!http.listening) await new Promise((listening) => http.once("listening", listening));
    const { port } = http.address();
    const { Client } = await import("@langchain/langgraph-sdk");
    const client = new Client({ apiUrl: "http://127.0.0.1:" + port });
    console.log((await client.runs.wait(null, "support", JSON.parse(body))).answer);
    http.close();
    await server.close(0);
    await threads.close();`,
  "in-hono.mjs": `${ask}
    const response = await app.request(...request("http://localhost/agents/runs/wait"));
    console.log((await response.json()).answer, (await app.request("/other")).status);
    await server.close(0);
    await threads.close();`,
  "in-node.mjs": `${ask}
    const { once } = await import("node:events");
    await once(http.listen(0, "127.0.0.1"), "listening");
    const url = "http://127.0.0.1:" + http.address().port;
    const response = await fetch(...request(url + "/agents/runs/wait"));
    console.log((await response.json()).answer, await (await fetch(url)).text());
    http.close();
    await server.close(0);
    await threads.close();`,
  "route.mjs": `${ask}
    const response = await answer(new Request(...request("https://shop.example/agents/runs/wait")));
    console.log((await response.json()).answer);
    await (await globalThis.agentServer).close(0);`,
};
it("each program of the page about serving answers a question", async () => {
  await using model = await startOpenAIServer(() => "It is four.");
  using folder = new UserFolder(["hono", "@hono"]);
  const written = programs.map(({ file = "", code }) => ({
    path: folder.write(`${file}/program.mjs`, `${code.replace("port: 2024", "port: 0")}${uses[file]}`),
    url: model.url,
  }));
  expect(programs.map(({ file }) => file)).toEqual(Object.keys(uses));
  expect(await folder.run(...written)).toEqual([
    "It is four.\n",
    "It is four. 404\n",
    "It is four. another page\n",
    "It is four.\n",
  ]);
});
