// Starts LangGraph's dev server with every graph of langgraph.json.
//
//   npm run dev                        on port 2024, without a browser
//   npm run dev -- --open              opens Studio in the browser
//   npm run dev -- --port 3000         and the other options of "langgraphjs dev"
import { fileURLToPath } from "node:url";
import { installServer } from "./install-server.mjs";

installServer();
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
process.env.LANGGRAPH_CLI_NO_ANALYTICS ??= "1";
const given = process.argv.slice(2);
const options = given.includes("--open") ? given.filter((option) => option !== "--open") : ["--no-browser", ...given];
process.argv.splice(2, given.length, "dev", ...options);
await import("@langchain/langgraph-cli/dist/cli/cli.mjs");
