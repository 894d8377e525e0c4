import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createAgent } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { type McpTools, type McpToolsOptions, mcpTools } from "../../../src/tools/index.js";
import { clientInfo } from "../../../src/tools/mcp/sdk.js";
import { call, fixture, type Place, place, stdioServer } from "./test-servers.js";

const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

/** What a tool says about itself, beside LangChain's interface. */
function metadataOf(tool: StructuredToolInterface): { effects?: boolean } {
  return Reflect.get(tool, "metadata");
}

describe("the tools of an MCP server", () => {
  let at: Place;
  let mcp: McpTools;
  beforeAll(async () => {
    at = await place();
    mcp = await mcpTools({ servers: { test: stdioServer(at) } });
  });
  afterAll(async () => {
    await mcp.close();
    await at[Symbol.asyncDispose]();
  });

  it("give a text as text", async () => {
    expect(await call(mcp, "add", { a: 1, b: 2 })).toMatchObject({ content: "3", status: "success" });
  });

  it.each([
    ["picture", [{ type: "text", text: "see" }, image]],
    ["picture_only", [image]],
    ["sound", [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }]],
    ["scan", [{ type: "file", data: "JVBE", metadata: { uri: "file:///a.pdf" } }]],
    ["photo", [{ type: "image", data: "iVBO", mimeType: "image/png" }]],
    ["link", [{ type: "file", url: "https://example.org/a", metadata: { name: "a" } }]],
  ])("give the result of %s as content blocks", async (name, blocks) => {
    const { content, status } = await call(mcp, name);
    expect(content).toMatchObject(blocks);
    expect(content).toHaveLength(blocks.length);
    expect(status).toBe("success");
  });

  it("give a resource's text as text, and its address in the artifact", async () => {
    const { content, artifact } = await call(mcp, "page");
    expect(content).toBe("body");
    expect(artifact).toEqual({ resources: [{ uri: "file:///a.txt", mimeType: "text/plain" }] });
  });

  it("give structured content in the artifact, and as text if there is no other", async () => {
    const { content, artifact } = await call(mcp, "count");
    expect(content).toBe('{"n":3}');
    expect(artifact).toEqual({ structuredContent: { n: 3 }, _meta: { took: 1 } });
  });

  it("never give an empty result", async () => {
    expect((await call(mcp, "nothing")).content).toBe("nothing ended well and returned nothing.");
    expect(await call(mcp, "failing_silently")).toMatchObject({
      content: "failing_silently failed and did not say why.",
      status: "error",
    });
  });

  it("give an error of the server as an error, and throw it without a tool call", async () => {
    expect(await call(mcp, "failing")).toMatchObject({ content: "no rights", status: "error" });
    const failing = mcp.tools.find(({ name }) => name === "failing");
    await expect(failing?.invoke({})).rejects.toMatchObject({
      name: "ToolError",
      code: "mcp-call-failed",
      message: "no rights",
    });
  });

  it("pass the server only environment variables that its options name", async () => {
    process.env.SECRET_OF_THE_TEST = "secret";
    try {
      const text = String((await call(mcp, "environment")).content);
      expect(text).toContain(at.path);
      expect(text).not.toContain("SECRET_OF_THE_TEST");
    } finally {
      delete process.env.SECRET_OF_THE_TEST;
    }
  });

  it("have effects unless the server marks them as read-only", () => {
    const marked = mcp.tools.filter((tool) => metadataOf(tool).effects).map(({ name }) => name);
    expect(marked).toEqual(["write", "die", "hang", "flood"]);
    expect(mcp.tools.map(metadataOf)).toContainEqual({
      effects: false,
      untrusted: true,
      mcp: { server: "test", tool: "add", annotations: { readOnlyHint: true } },
    });
  });

  it.each(["react", "tool-calling"] as const)("work in an agent that speaks %s", async (protocol) => {
    const calls: [string, Record<string, unknown>][] = [
      ["add", { a: 1, b: 2 }],
      ["add", { a: "one" }],
      ["picture", {}],
      ["page", {}],
      ["count", {}],
      ["failing", {}],
    ];
    const replies = calls.map(([name, args]) =>
      protocol === "react"
        ? ` x\nAction: ${name}\nAction Input: ${JSON.stringify(args)}`
        : { tool_calls: [{ name, args, id: "c" }] },
    );
    const last = protocol === "react" ? " ok\nFinal Answer: done" : "done";
    const model = scriptedModel([...replies, last]);
    const { intermediateSteps } = await createAgent({ model, tools: mcp.tools, protocol }).invoke({ messages: "q" });
    const results = intermediateSteps.map((step) => ("results" in step ? step.results[0] : undefined));
    expect(results.map((result) => [result?.status, result?.observation.slice(0, 25)])).toEqual([
      ["success", "3"],
      ["error", "add was not run, because "],
      ["success", "see\n[an image, image/png,"],
      ["success", "body"],
      ["success", '{"n":3}'],
      ["error", "no rights"],
    ]);
  });
});

describe("mcpTools", () => {
  it("tells servers its version", () => {
    expect(clientInfo.version).toBe(JSON.parse(readFileSync("package.json", "utf8")).version);
  });

  it("lets the user's setting for effects override the server's", async () => {
    await using at = await place();
    const servers = {
      none: { ...stdioServer(at), effects: false },
      some: { ...stdioServer(at), effects: { add: true, write: false } },
    };
    await using mcp = await mcpTools({ servers });
    const effects = new Map(mcp.tools.map((tool) => [tool.name, metadataOf(tool).effects]));
    expect(["none__write", "some__add", "some__write", "some__die"].map((name) => effects.get(name))).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it("prefixes shared tool names with the names of their servers, and calls each tool at its own server", async () => {
    await using one = await place();
    await using two = await place();
    await using mcp = await mcpTools({ servers: { one: stdioServer(one), two: stdioServer(two) } });
    await call(mcp, "two__write");
    expect(await two.notes()).toContain("write");
    expect(await one.notes()).not.toContain("write");
  });

  it.each<[string, object, string]>([
    ["no servers", {}, 'mcpTools.servers: it is missing; give servers by name, such as { files: { command: "npx"'],
    ["a misspelt option", { servers: {}, pin: "f" }, 'mcpTools.pin: there is no such option; did you mean "pins"?'],
    ["a server of no kind", { servers: { a: {} } }, "mcpTools.servers.a.command: it is missing; give the program"],
    [
      "a list in its place",
      { servers: { a: [] } },
      "mcpTools.servers.a: an empty list is not possible; give an object.",
    ],
    [
      "a wrong address",
      { servers: { a: { url: "example.org" } } },
      "mcpTools.servers.a.url: Give an address that begins",
    ],
    ["a key in an address", { servers: { a: { url: "https://u:p@h" } } }, "without a user and a password"],
    [
      "an old transport",
      { servers: { a: { type: "sse", url: "https://h" } } },
      'give one of "http", "streamable-http"',
    ],
    [
      "a wrong time",
      { servers: {}, callTimeoutMs: 0 },
      "mcpTools.callTimeoutMs: 0 is not possible; give a whole number",
    ],
  ])("refuses %s", async (_what, options, message) => {
    await expect(mcpTools(options as McpToolsOptions)).rejects.toThrow(message);
  });

  it("refuses a setting for effects of a tool that the server does not have", async () => {
    await using at = await place();
    const servers = { test: { ...stdioServer(at), effects: { writ: true } } };
    await expect(mcpTools({ servers })).rejects.toThrow(
      'mcpTools.servers.test.effects: the server has no tool "writ". Did you mean "write"?',
    );
  });

  it("says why a server cannot be used, and leaves no process behind", async () => {
    await using at = await place();
    const missing = { command: "no-such-program" };
    await expect(mcpTools({ servers: { fine: stdioServer(at), missing } })).rejects.toThrow(
      'The MCP server "missing" cannot be used: the connection failed: spawn no-such-program ENOENT',
    );
    const ending = { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(3)"] };
    await expect(mcpTools({ servers: { ending } })).rejects.toThrow(
      'The MCP server "ending" cannot be used: it ended (exit code 3; it wrote: no licence)',
    );
    const silent = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
    await expect(mcpTools({ servers: { silent }, connectTimeoutMs: 200 })).rejects.toThrow(
      'The MCP server "silent" cannot be used: it did not answer within 0.2 s',
    );
    for (const pid of await at.pids()) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("names the package to install when the SDK is missing", async () => {
    await using at = await place();
    cpSync("dist", join(at.path, "dist"), { recursive: true });
    mkdirSync(join(at.path, "node_modules"));
    for (const name of ["@langchain", "zod"]) {
      symlinkSync(resolve("node_modules", name), join(at.path, "node_modules", name), "junction");
    }
    writeFileSync(join(at.path, "package.json"), '{"type":"module"}');
    const program = `const { mcpTools } = await import("./dist/tools/mcp/mcp-tools.js");
      await mcpTools({ servers: {} }).catch((error) => console.log(String(error)));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: at.path,
    });
    expect(stdout).toContain(
      "SetupError: MCP servers need the package @modelcontextprotocol/sdk: npm install @modelcontextprotocol/sdk",
    );
  });

  it("lists all pages, also invalid tools, within a time limit", async () => {
    await using at = await place();
    const pages = (kind: string) => ({
      command: process.execPath,
      args: [fixture("paged-server.mjs"), kind],
      env: at.env,
    });
    await using mcp = await mcpTools({ servers: { pages: pages("pages") } });
    expect(mcp.tools.map(({ name }) => name)).toEqual(["one", "two_words", "three"]);
    expect((await call(mcp, "two_words")).content).toBe("called two words");
    const warned = vi.spyOn(process, "emitWarning");
    await expect(mcpTools({ servers: { endless: pages("endless") }, listTimeoutMs: 300 })).rejects.toThrow(
      'The MCP server "endless" did not list its tools: it did not answer within 0.3 s',
    );
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
    await expect(mcpTools({ servers: { wrong: pages("wrong") } })).rejects.toThrow(
      'The MCP server "wrong" did not list its tools: its answer has a form that MCP does not know',
    );
    await using none = await mcpTools({ servers: { none: pages("none") } });
    expect(none.tools).toEqual([]);
  });
});
