// Starts LangGraph's dev server with every graph of langgraph.json.
//
//   npm run dev:langgraph                        on port 2024, without a browser
//   npm run dev:langgraph -- --open              opens Studio in the browser
//   npm run dev:langgraph -- --port 3000         and the other options of "langgraphjs dev"
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { installServer } from "./install-server.mjs";

installServer();
const given = process.argv.slice(2);
const options = given.includes("--open") ? given.filter((option) => option !== "--open") : ["--no-browser", ...given];
const command = fileURLToPath(import.meta.resolve("@langchain/langgraph-cli/dist/cli/cli.mjs"));
// A group of its own: Ctrl-C at a terminal reaches all processes of a group. A second signal would kill the server while
// it writes its threads, and the files would be empty.
const server = spawn(process.execPath, [command, "dev", ...options], {
  cwd: fileURLToPath(new URL("..", import.meta.url)),
  env: { LANGGRAPH_CLI_NO_ANALYTICS: "1", ...process.env },
  stdio: ["ignore", "inherit", "inherit"],
  detached: process.platform !== "win32",
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => server.kill("SIGTERM"));
const [status] = await once(server, "exit");
while (isRunning(-server.pid)) await wait(50);
process.exitCode = status;

function isRunning(group) {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}
