import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { without } from "../../cli/serve-process.js";

test("serveAgents says that it needs hono, when it is called and not before", () => {
  const program = `
    import { openThreads } from "glassloop";
    import { serveAgents } from "glassloop/server";
    const agent = { stream() {}, getState() {}, updateState() {} };
    await serveAgents({ agents: { agent }, threads: await openThreads("memory:") }).catch(({ name, message }) => console.log(name, message));
    process.exit();`;
  const shown = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, ...without("hono") },
  });
  expect(shown).toBe("SetupError Servers need the package hono: npm install hono\n");
});
