import { expect, test } from "vitest";
import { checkSettings } from "../../../src/server/access/client-settings.js";
import { makeThread, question, served } from "./served.js";

const studio = "https://smith.langchain.com";

test.each(["evil.example:2024", "localhost.evil.example", "127.0.0.1.nip.io"])(
  "a request for the host %s is refused, whatever address a framework made of it",
  async (host) => {
    const { send } = await served();
    const response = await send("GET", "/ok", { headers: { Host: host } });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      error: "forbidden",
      message: expect.stringContaining("allowedHosts"),
    });
  },
);

test("this machine and the named hosts are served, with any port and in any case", async () => {
  const { send } = await served({ allowedHosts: ["Agents.example", "shop.example:8080", "fd00::7"] });
  const own = ["localhost:1", "127.0.0.1", "[::1]:2024"];
  for (const Host of [...own, "agents.EXAMPLE:443", "shop.example", "[fd00:0::7]:2024"]) {
    expect((await send("GET", "/ok", { headers: { Host } })).status).toBe(200);
  }
});

test.each(["https://evil.example", "null", "http://localhost:5173"])(
  "a page of %s may neither read nor write, and nothing is changed",
  async (origin) => {
    const { send } = await served({ origins: [studio] });
    const headers = { Origin: origin, "Content-Type": "text/plain" };
    const response = await send("POST", "/threads", { body: {}, headers });
    expect(response.status).toBe(403);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
    expect((await send("OPTIONS", "/threads", { headers })).status).toBe(403);
    expect(await (await send("POST", "/threads/count", { body: {} })).json()).toBe(0);
  },
);

test("a method that a path has not, and an id that no address has, are refused; browsers guess nothing", async () => {
  const { send } = await served();
  const response = await send("PUT", "/threads/t/history");
  expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, POST"]);
  expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
  for (const thread_id of [".", ".."])
    expect((await send("POST", "/threads", { body: { thread_id } })).status).toBe(400);
});

test("a page of the server itself is served, also behind a proxy that ends TLS", async () => {
  const { send } = await served();
  for (const origin of ["http://localhost:2024", "https://localhost:2024"]) {
    const headers = { Origin: origin, Host: "localhost:2024" };
    expect((await send("POST", "/threads", { body: {}, headers })).status).toBe(200);
  }
});

test("a page of a named site is told what it may do, also with an error, and Chrome that this machine agrees", async () => {
  const { send } = await served({ origins: [`${studio}/`], keys: ["secret-key"] });
  const preflight = await send("OPTIONS", "/threads", {
    headers: {
      Origin: studio,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "content-type,x-api-key",
      "Access-Control-Request-Private-Network": "true",
    },
  });
  expect(preflight.status).toBe(204);
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": studio,
    "access-control-allow-headers": "content-type,x-api-key",
    "access-control-allow-methods": expect.stringContaining("PATCH"),
    "access-control-allow-private-network": "true",
  });
  const refused = await send("POST", "/threads", { body: {}, headers: { Origin: studio } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get("access-control-allow-origin")).toBe(studio);
  expect(refused.headers.get("access-control-expose-headers")).toContain("Content-Location");
});

test("a key is needed if there are keys, in either header", async () => {
  const { send } = await served({ keys: ["first-key", "second-key"] });
  const statusWith = async (headers: Readonly<Record<string, string>>) =>
    (await send("POST", "/threads/count", { body: {}, headers })).status;
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ "X-Api-Key": "" })).toBe(401);
  expect(await statusWith({ "X-Api-Key": "first-key " })).toBe(200);
  expect(await statusWith({ "X-Api-Key": "first-keys" })).toBe(401);
  expect(await statusWith({ Authorization: "Bearer second-key" })).toBe(200);
  expect(await statusWith({ Authorization: "Bearer" })).toBe(401);
  // A proxy may have an authorization of its own.
  expect(await statusWith({ Authorization: "Bearer other", "X-Api-Key": "second-key" })).toBe(200);
  expect((await send("GET", "/no-such-route")).status).toBe(401);
  for (const open of ["/ok", "/health"]) expect((await send("GET", open)).status).toBe(200);
});

test("a body that is too large is refused, with a length and without", async () => {
  const { send, server } = await served({ maxBodyBytes: 1_000 });
  const response = await send("POST", "/threads", { body: { metadata: { long: "x".repeat(1_000) } } });
  expect(response.status).toBe(413);
  expect(await response.json()).toEqual({ error: "too-large", message: "The body of a request may have 1000 bytes." });
  const pieces = new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(" ".repeat(400)));
    },
  });
  const endless = new Request("http://localhost/threads", { method: "POST", body: pieces, duplex: "half" });
  expect((await server.fetch(endless)).status).toBe(413);
  expect(await (await send("POST", "/threads/count", { body: {} })).json()).toBe(0);
});

test("clients set only what the server lists, and neither what LangGraph nor what Glassloop keeps there", () => {
  expect(() => checkSettings([], {}, { thread_id: "t", checkpoint_id: "c" })).not.toThrow();
  expect(() => checkSettings([], { model: "openai:o1" })).toThrow('"model" belongs to the server. Clients set nothing');
  expect(() => checkSettings(["memory"], { memory: "window" }, { approve: "never" })).toThrow(
    '"approve" belongs to the server. Clients may set: memory.',
  );
  expect(() => checkSettings("all", { model: "offline" }, { approve: "never" })).not.toThrow();
  for (const name of ["__glassloop", "__pregel_send", "__proto__"]) {
    expect(() => checkSettings("all", {}, JSON.parse(`{ "${name}": {} }`))).toThrow("Leave it out.");
  }
});

test("a setting that is not listed refuses the run, and headers set nothing", async () => {
  const { send } = await served();
  const refused = await send("POST", "/runs/wait", { body: { ...question, context: { approve: "never" } } });
  expect(refused.status).toBe(422);
  const thread_id = await makeThread(send);
  const headers = { "X-Model": "openai:o1", "User-Agent": "spy" };
  const answered = await send("POST", `/threads/${thread_id}/runs/wait`, { body: question, headers });
  expect(await answered.json()).toMatchObject({ answer: "It is 4." });
  const states = await (await send("POST", `/threads/${thread_id}/history`, { body: {} })).text();
  expect(states).not.toMatch(/openai:o1|spy/);
});
