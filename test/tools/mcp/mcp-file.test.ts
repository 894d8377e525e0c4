import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMcpFile } from "../../../src/tools/index.js";
import { place } from "./test-servers.js";

/** Reads servers from a file that holds the text. */
async function read(text: string, env: Record<string, string> = {}) {
  await using at = await place();
  const path = join(at.path, ".mcp.json");
  await writeFile(path, text);
  return await readMcpFile(path, env).catch((error: unknown) => {
    throw new Error(String(error).replace(path, "FILE"));
  });
}

const servers = (mcpServers: unknown) => JSON.stringify({ mcpServers });

describe("an .mcp.json", () => {
  it("names processes and servers on the web, with variables in all texts", async () => {
    const text = servers({
      files: {
        command: `\${BIN}/run`,
        args: ["--root", `\${ROOT:-/srv}`, "$PLAIN"],
        env: { TOKEN: `a-\${env:TOKEN}` },
      },
      web: { type: "http", url: `https://\${HOST:-example.org}/mcp`, headers: { Authorization: `Bearer \${TOKEN}` } },
      plain: { url: "http://127.0.0.1:1/mcp" },
    });
    expect(await read(text, { BIN: "/opt", TOKEN: "t", ROOT: "" })).toEqual({
      files: { command: "/opt/run", args: ["--root", "/srv", "$PLAIN"], env: { TOKEN: "a-t" } },
      web: { type: "http", url: "https://example.org/mcp", headers: { Authorization: "Bearer t" } },
      plain: { url: "http://127.0.0.1:1/mcp", headers: {} },
    });
  });

  it("may have settings for other clients, disabled servers, and our setting for effects", async () => {
    const text = JSON.stringify({
      inputs: [],
      mcpServers: {
        on: { type: "stdio", command: "a", autoApprove: ["x"], timeout: 60, effects: { read: false } },
        off: { command: `\${MISSING}`, disabled: true },
      },
    });
    expect(await read(text)).toEqual({
      on: { type: "stdio", command: "a", args: [], env: {}, effects: { read: false } },
    });
  });

  it.each([
    ["{", "FILE: this is no JSON: "],
    ["[]", "FILE: the file: "],
    ["{}", "FILE: mcpServers: it is missing; give an object of servers, such as"],
    [servers({ a: "npx" }), 'FILE: mcpServers.a: "npx" is not possible; give an object with a command or a url.'],
    [servers({ a: {} }), "FILE: mcpServers.a.command: it is missing; give the program to start."],
    [
      servers({ a: { command: "a", args: "b" } }),
      'FILE: mcpServers.a.args: "b" is not possible; give a list of texts.',
    ],
    [servers({ a: { command: "a", env: { N: 1 } } }), "FILE: mcpServers.a.env.N: 1 is not possible; give a text."],
    [servers({ a: { command: "a", args: ["\0"] } }), "is not possible; give a text without NUL."],
    [
      servers({ a: { type: "sse", url: "https://h" } }),
      'FILE: mcpServers.a.type: "sse" is not possible; give one of "http"',
    ],
    [
      servers({ a: { command: "a", effects: "no" } }),
      'FILE: mcpServers.a.effects: "no" is not possible; give true, false',
    ],
    [
      servers({ a: { command: "a", args: [`\${NO}`] } }),
      "FILE: mcpServers.a.args.0: the environment variable NO is not set.",
    ],
  ])("is refused as %s", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it("is named in the error when it does not exist", async () => {
    await expect(readMcpFile("no-such.json")).rejects.toThrow("no-such.json: it cannot be read: ENOENT");
  });
});
