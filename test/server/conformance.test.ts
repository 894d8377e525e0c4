import { afterAll, beforeAll, describe } from "vitest";
import type { AgentServer } from "../../src/server/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import type { Served } from "./conformance/checks.js";
import { itAnswersAsExpected, serveWire } from "./conformance/run-checks.js";

describe("a server on SQLite", () => {
  let threads: Threads;
  let server: AgentServer;
  let served: Served;

  beforeAll(async () => {
    threads = await openThreads("sqlite::memory:");
    ({ server, served } = await serveWire(threads));
  });

  afterAll(async () => {
    await server.close(0);
    await threads.close();
  });

  itAnswersAsExpected(() => served, true);
});
