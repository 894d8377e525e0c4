import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ServerReply } from "../../helpers/openai-server.js";
import { ended, place, stdioServer } from "../../tools/mcp/test-servers.js";
import { runProgram } from "../fake-io.js";
import { workingFolder } from "../run-cli.js";
import { scriptedServer } from "../scripted-server.js";

const replies: readonly ServerReply[] = [
  ' I add\nAction: add\nAction Input: {"a": 1, "b": 2}',
  " I now know the final answer\nFinal Answer: 3",
];

describe("--mcp", () => {
  it("gives the agent the tools of the file's servers, pins them beside it, and ends the servers", async () => {
    await using at = await place();
    await using folder = await workingFolder();
    await using model = await scriptedServer([...replies, ...replies]);
    const env = Object.fromEntries(Object.keys(at.env).map((name) => [name, `\${${name}}`]));
    const file = { mcpServers: { numbers: { ...stdioServer(at), env } } };
    await writeFile(join(folder.path, ".mcp.json"), JSON.stringify(file));
    const asked = ["ask", "What is 1 + 2?", "--mcp", ".mcp.json", "--db", "sqlite:t.db", ...model.options];
    const first = await folder.run(asked, { env: at.env });
    expect(first).toMatchObject({ exitCode: 0, stdout: "3\n" });
    expect(await at.notes()).toContain("add 1 2");
    await ended(await at.pids());

    const lock = join(folder.path, ".mcp.lock.json");
    const pins = JSON.parse(await readFile(lock, "utf8"));
    expect(pins.servers.numbers.add.description).toBe("Adds two numbers.");
    pins.servers.numbers.add.description = "Adds.";
    await writeFile(lock, JSON.stringify(pins));
    const second = await folder.run(asked, { env: at.env });
    expect(second.exitCode).toBe(1);
    expect(second.stderr).toContain(
      'Tools of MCP servers differ from their pinned definitions in .mcp.lock.json:\n- "add" of "numbers": description: was "Adds."',
    );
    delete pins.servers.numbers.add;
    await writeFile(lock, JSON.stringify(pins));
    const chat = ["chat", ...asked.slice(2)];
    const third = await folder.run(chat, { env: at.env, input: "What is 1 + 2?" });
    expect(third.stdout).toContain("Answer: 3");
    expect(third.stderr).toContain("--mcp .mcp.json");
    await ended(await at.pids());
  });

  it("tells what is wrong with its file before anything is made", async () => {
    await using folder = await workingFolder();
    const missing = await folder.runHere(["ask", "Hi", "--mcp", "none.json"]);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("error: --mcp: none.json: it cannot be read: ENOENT");
    await writeFile(join(folder.path, "m.json"), '{"mcpServers":{"a":{"command":"no-such-program"}}}');
    const failed = await folder.runHere(["ask", "Hi", "--mcp", "m.json", "--json"]);
    expect(failed.exitCode).toBe(1);
    const error = { type: "error", name: "McpServerError", code: "mcp-server-failed" };
    expect(JSON.parse(failed.stdout)).toMatchObject(error);
    expect(await folder.files()).toEqual(["m.json"]);
  });

  it("ends the servers when the threads cannot be opened", async () => {
    await using at = await place();
    const file = join(at.path, "m.json");
    await writeFile(file, JSON.stringify({ mcpServers: { numbers: stdioServer(at) } }));
    // Nobody can make a file there, not even root.
    const failed = await runProgram(["ask", "Hi", "--mcp", file, "--db", "sqlite:/proc/glassloop/threads.db"]);
    expect(failed.stderr).toContain("--db: ");
    expect(failed.exitCode).toBe(1);
    expect(await at.pids()).toHaveLength(1);
    await ended(await at.pids());
  });
});
