import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { mcpTools } from "../../../src/tools/index.js";
import { call, ended, fixture, isRunning, type Place, place, stdioServer } from "./test-servers.js";

/** A server that goes on after its stdin is closed and takes no SIGTERM, behind a shell as `npx` has one. */
function stubborn(at: Place) {
  const { command, args, env } = stdioServer(at, "stubborn");
  return { command: "sh", args: ["-c", '"$@"; exit $?', "sh", command, ...args], env };
}

/** A process that holds a connection to a server. */
async function holder(at: Place, what: "stay" | "end", server: object): Promise<ChildProcess> {
  const env = { ...process.env, ...at.env };
  const child = fork(fixture("holder.mjs"), [what, JSON.stringify(server)], { env });
  await once(child, "message");
  return child;
}

describe("a server's process", () => {
  it("ends with close, behind a wrapper, even if it takes no signal", async () => {
    await using at = await place();
    const mcp = await mcpTools({ servers: { stubborn: stubborn(at), obedient: stdioServer(at) } });
    const pids = await at.pids();
    expect(pids.filter(isRunning)).toHaveLength(2);
    await mcp.close();
    await ended(pids);
    await mcp.close();
    expect((await call(mcp, "obedient__write")).content).toBe("written");
    await mcp.close();
    await ended(await at.pids());
  });

  it.each(["SIGKILL", "SIGINT"] as const)("ends when our process ends by %s", async (signal) => {
    await using at = await place();
    const child = await holder(at, "stay", stubborn(at));
    const pids = await at.pids();
    expect(pids.filter(isRunning)).toHaveLength(1);
    child.kill(signal);
    await ended(pids);
  });

  it("does not keep our process alive, and ends with it", async () => {
    await using at = await place();
    const child = await holder(at, "end", stubborn(at));
    const [exitCode] = child.exitCode === null ? await once(child, "exit") : [child.exitCode];
    expect(exitCode).toBe(0);
    await ended(await at.pids());
  });

  it("that has ended before a message is sent to it is reported as ended", async () => {
    const leaving = { command: process.execPath, args: [fixture("leaving-server.mjs")] };
    await expect(mcpTools({ servers: { leaving } })).rejects.toThrow(
      'The MCP server "leaving" did not list its tools: it ended (exit code 3)',
    );
  });
});
