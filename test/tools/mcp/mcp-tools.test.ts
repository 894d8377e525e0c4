import { readFileSync } from "node:fs";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgent } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { type McpToolsOptions, mcpTools } from "../../../src/tools/index.js";
import { clientInfo } from "../../../src/tools/mcp/sdk.js";
import { type Connected, call, connected, otherServer, place, stdioServer } from "./test-servers.js";

const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

/** What a tool says about itself, beside LangChain's interface. */
function metadataOf(tool: StructuredToolInterface): { effects?: boolean } {
  return Reflect.get(tool, "metadata");
}

describe("the tools of an MCP server", () => {
  let server: Connected;
  beforeAll(async () => {
    server = await connected();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("give a text as text", async () => {
    expect(await server.call("add", { a: 1, b: 2 })).toMatchObject({ content: "3", status: "success" });
  });

  it.each([
    ["picture", [{ type: "text", text: "see" }, image]],
    ["picture_only", [image]],
    ["sound", [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }]],
    ["scan", [{ type: "file", data: "JVBE", metadata: { uri: "file:///a.pdf" } }]],
    ["photo", [{ type: "image", data: "iVBO", mimeType: "image/png" }]],
    ["link", [{ type: "file", url: "https://example.org/a", metadata: { name: "a" } }]],
  ])("give the result of %s as content blocks", async (name, blocks) => {
    const { content, status } = await server.call(name);
    expect(content).toMatchObject(blocks);
    expect(content).toHaveLength(blocks.length);
    expect(status).toBe("success");
  });

  it("give a resource's text as text, and its address in the artifact", async () => {
    const { content, artifact } = await server.call("page");
    expect(content).toBe("body");
    expect(artifact).toEqual({ resources: [{ uri: "file:///a.txt", mimeType: "text/plain" }] });
  });

  it("give structured content in the artifact, and as text if there is no other", async () => {
    const { content, artifact } = await server.call("count");
    expect(content).toBe('{"n":3}');
    expect(artifact).toEqual({ structuredContent: { n: 3 }, _meta: { took: 1 } });
  });

  it("give an error of the server as an error, and throw it without a tool call", async () => {
    expect(await server.call("failing")).toMatchObject({ content: "no rights", status: "error" });
    const failing = server.mcp.tools.find(({ name }) => name === "failing");
    const refused = { name: "ToolError", code: "mcp-call-failed", message: "no rights" };
    await expect(failing?.invoke({})).rejects.toMatchObject(refused);
  });

  it("pass the server only environment variables that its options name", async () => {
    process.env.SECRET_OF_THE_TEST = "secret";
    try {
      const text = String((await server.call("environment")).content);
      expect(text).toContain(server.at.path);
      expect(text).not.toContain("SECRET_OF_THE_TEST");
    } finally {
      delete process.env.SECRET_OF_THE_TEST;
    }
  });

  it("have effects unless the server marks them as read-only", () => {
    const marked = server.mcp.tools.filter((tool) => metadataOf(tool).effects).map(({ name }) => name);
    expect(marked).toEqual(["write", "die", "hang", "flood"]);
    expect(server.mcp.tools.map(metadataOf)).toContainEqual({
      effects: false,
      untrusted: true,
      mcp: { server: "test", tool: "add", annotations: { readOnlyHint: true } },
    });
  });

  it("work in an agent", async () => {
    const called: [string, Record<string, unknown>, status: string, observation: string][] = [
      ["add", { a: 1, b: 2 }, "success", "3"],
      ["add", { a: "one" }, "error", "add was not run, because "],
      ["picture", {}, "success", "see\n[an image, image/png,"],
      ["page", {}, "success", "body"],
      ["failing", {}, "error", "no rights"],
    ];
    const replies = called.map(([name, args]) => ({ tool_calls: [{ name, args, id: "c" }] }));
    const agent = createAgent({
      model: scriptedModel([...replies, "done"]),
      tools: server.mcp.tools,
      protocol: "tool-calling",
    });
    const { intermediateSteps } = await agent.invoke({ messages: "q" });
    const results = intermediateSteps.flatMap((step) => ("results" in step ? step.results : []));
    expect(results.map(({ status, observation }) => [status, observation.slice(0, 25)])).toEqual(
      called.map(([, , status, observation]) => [status, observation]),
    );
  });
});

describe("mcpTools", () => {
  it("tells servers its version", () => {
    expect(clientInfo.version).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
  });

  it("prefixes shared names with those of their servers, calls each tool at its own, and lets the user set effects", async () => {
    await using one = await place();
    await using two = await place();
    const servers = {
      one: { ...stdioServer(one), effects: false },
      two: { ...stdioServer(two), effects: { add: true, write: false } },
    };
    await using mcp = await mcpTools({ servers });
    await call(mcp, "two__write");
    expect([await one.notes(), await two.notes()].map((notes) => notes.includes("write"))).toEqual([false, true]);
    const effects = new Map(mcp.tools.map((tool) => [tool.name, metadataOf(tool).effects]));
    const named = ["one__write", "two__add", "two__write", "two__die"].map((name) => effects.get(name));
    expect(named).toEqual([false, true, false, true]);
    const wrong = { test: { ...stdioServer(one), effects: { writ: true } } };
    await expect(mcpTools({ servers: wrong })).rejects.toThrow(
      'mcpTools.servers.test.effects: the server has no tool "writ". Did you mean "write"?',
    );
  });

  it.each<[string, object, string]>([
    ["no servers", {}, 'mcpTools.servers: it is missing; give servers by name, such as { files: { command: "npx"'],
    ["a misspelt option", { servers: {}, pin: "f" }, 'mcpTools.pin: there is no such option; did you mean "pins"?'],
    ["a server of no kind", { servers: { a: {} } }, "mcpTools.servers.a.command: it is missing; give the program"],
    ["a key in an address", { servers: { a: { url: "https://u:p@h" } } }, "without a user and a password"],
    [
      "an old transport",
      { servers: { a: { type: "sse", url: "https://h" } } },
      'give one of "http", "streamable-http"',
    ],
  ])("refuses %s", async (_what, options, message) => {
    await expect(mcpTools(options as McpToolsOptions)).rejects.toThrow(message);
  });

  it("says why a server cannot be used, and leaves no process behind", async () => {
    await using at = await place();
    const missing = { command: "no-such-program" };
    await expect(mcpTools({ servers: { fine: stdioServer(at), missing } })).rejects.toThrow(
      'The MCP server "missing" cannot be used: the connection failed: spawn no-such-program ENOENT',
    );
    for (const pid of await at.pids()) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it.each([
    ["lists all pages, also invalid tools", "pages", ["one", "two_words", "three"]],
    ["lists tools once, if the cursor does not move", "stuck", ["one", "two_words"]],
    ["lists tools once, if the pages do not end", "counting", ["one", "two_words"]],
    ["lists a tool once that is on its page twice", "doubled", ["one", "two_words"]],
  ])("%s", async (_what, kind, names) => {
    await using server = await connected(otherServer("paged-server.mjs", kind));
    expect(server.mcp.tools.map(({ name }) => name)).toEqual(names);
    expect((await server.call("two_words")).content).toBe("called two words");
  });

  it("keep the digits of long integers over stdio, and stay as they are in definitions", async () => {
    await using server = await connected(otherServer("raw-server.mjs"));
    const structuredContent = { id: "#9007199254740993", words: "9007199254740993" };
    expect((await server.call("answer", { result: { content: [], structuredContent } })).content).toBe(
      '{"id":"9007199254740993","words":"9007199254740993"}',
    );
    expect(server.mcp.tools[0]?.schema).toMatchObject({ maximum: 2 ** 63 });
  });
});
