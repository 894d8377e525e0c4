import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { type DevServer, startDevServer } from "../graphs/dev-server.js";
import { databases } from "../matrix/databases.js";
import { describeServerOn, itAnswersAsExpected, served } from "./conformance/run-checks.js";

for (const kind of databases) if (kind.name !== "SQLite") describeServerOn(kind, kind.name === "Postgres");

describe("LangGraph's own server", () => {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-conformance-"));
  let server: DevServer;

  beforeAll(async () => {
    const graphs = { wire: `${resolve("test/server/conformance/wire-graph.ts")}:graph` };
    writeFileSync(join(folder, "langgraph.json"), JSON.stringify({ node_version: "20", graphs, env: {} }));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"), "junction");
    server = await startDevServer(folder, { LANGSMITH_TRACING: "false" });
  }, 400_000);

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  itAnswersAsExpected(() => served(server.url, fetch), false);
});
