import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { anthropic } from "./providers/anthropic.js";
import { startProvider } from "./providers/provider-server.js";

const command = join(import.meta.dirname, "node_modules/glassloop/dist/bundle/cli/bin.js");

it("the command, which has a copy of LangChain's core, asks a model of another copy", async () => {
  const input = { expression: "2 + 3" };
  const replies = [
    {
      content: [
        { type: "text", text: "I work it out." },
        { type: "tool_use", id: "toolu_1", name: "calculator", input },
      ],
    },
    { content: [{ type: "text", text: "It is [5]." }] },
    { status: 401 },
  ];
  await using server = await startProvider(anthropic, replies);
  const cwd = mkdtempSync(join(tmpdir(), "glassloop-command-"));
  const { PATH, SystemRoot } = process.env;
  const ask = (question: string) =>
    promisify(execFile)(
      process.execPath,
      [command, "ask", "--thread", "t", "--model", "anthropic:claude-sonnet-4-5", "--base-url", server.url, question],
      { cwd, env: { PATH, SystemRoot, ANTHROPIC_API_KEY: "k12345678" } },
    );
  try {
    expect((await ask("How many?")).stdout).toBe("It is [5].\n");
    expect(server.streamed).toEqual([true, true]);
    expect(JSON.stringify(server.requests[1])).toContain('"type":"tool_result","content":"5"');
    await expect(ask("Again?")).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("401") });
    expect(JSON.stringify(server.requests[2])).toContain("toolu_1");
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
