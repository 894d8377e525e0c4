import type { IncomingHttpHeaders } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadEmbeddings, loadModel } from "../../src/model/index.js";
import { startLocalServer } from "../helpers/local-server.js";

const ofProcess = {
  OPENAI_API_KEY: "key-of-the-process",
  OPENAI_ADMIN_KEY: "admin-of-the-process",
  OPENAI_ORGANIZATION: "org-of-the-process",
  OPENAI_ORG_ID: "org-of-the-process",
  OPENAI_PROJECT_ID: "project-of-the-process",
  OPENAI_CUSTOM_HEADERS: "X-Gateway: header-of-the-process\nAuthorization: Bearer auth-of-the-process\nno header",
  OPENAI_LOG: "off",
};
beforeEach(() => {
  for (const [name, value] of Object.entries(ofProcess)) vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

/** Starts a server that keeps the headers of requests. Its reply is one of embeddings. */
async function startServer() {
  const requests: IncomingHttpHeaders[] = [];
  const reply = JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] });
  const server = await startLocalServer((request, response) => {
    requests.push(request.headers);
    request.resume().on("end", () => response.setHeader("content-type", "application/json").end(reply));
  });
  return { ...server, url: `${server.origin}/v1`, requests };
}

const env = {
  OPENAI_API_KEY: "given-key",
  OPENAI_ORG_ID: "given-org",
  OPENAI_PROJECT_ID: "given-project",
  OPENAI_CUSTOM_HEADERS: "X-Gateway: given-header\nX-Other:  given: too ",
};
const given = {
  authorization: "Bearer given-key",
  "openai-organization": "given-org",
  "openai-project": "given-project",
  "x-gateway": "given-header",
  "x-other": "given: too",
};

describe("the client of a server that a program names", () => {
  it.each([
    ["chat completions", "llama3.2", {}],
    ["a reply in one piece", "openai:m", { streaming: false }],
    ["the Responses API", "openai:gpt-5.2-pro", {}],
    ["a key", "openai:m", { apiKey: "none" }],
  ])("sends no variable of the process: %s", async (_, name, options) => {
    await using server = await startServer();
    const model = await loadModel(name, { baseUrl: server.url, maxRetries: 0, ...options });
    await model.invoke("Hi").catch(() => undefined);
    const streamed = model.stream("Hi").then(async (stream) => {
      for await (const _ of stream);
    });
    await streamed.catch(() => undefined);
    expect(server.requests).toHaveLength(2);
    for (const headers of server.requests) expect(headers.authorization).toBe("Bearer none");
    expect(JSON.stringify(server.requests)).not.toContain("of-the-process");
  });

  it("sends the given settings, and no variable of the process", async () => {
    await using server = await startServer();
    const model = await loadModel("openai:m", { env: { ...env, OPENAI_BASE_URL: server.url } });
    await model.invoke("Hi").catch(() => undefined);
    expect(server.requests[0]).toMatchObject(given);
    expect(JSON.stringify(server.requests)).not.toContain("of-the-process");
  });

  it("sends embedding requests in the same way", async () => {
    await using server = await startServer();
    await (await loadEmbeddings("openai:m", { baseUrl: server.url })).embedQuery("cat");
    await (await loadEmbeddings("openai:m", { baseUrl: server.url, env })).embedQuery("cat");
    expect(server.requests[0]?.authorization).toBe("Bearer none");
    expect(server.requests[1]).toMatchObject(given);
    expect(JSON.stringify(server.requests)).not.toContain("of-the-process");
  });
});
