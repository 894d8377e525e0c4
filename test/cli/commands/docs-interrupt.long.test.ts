import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startEmbeddingServer } from "../../helpers/embedding-server.js";
import { workingFolder } from "../run-cli.js";

describe("glassloop docs index", () => {
  test("stops at Ctrl-C, and the next run goes on", async () => {
    await using folder = await workingFolder();
    const docs = join(folder.path, "docs");
    const index = join(folder.path, "documents.db");
    mkdirSync(docs);
    await using server = await startEmbeddingServer();
    server.behave({ delayMs: 200 });
    for (let n = 0; n < 640; n++) writeFileSync(join(docs, `${n}.md`), `Rain on day ${n}`);
    const embeddings = ["--embeddings", "openai:m", "--embeddings-url", server.url];
    const args = ["docs", "index", "docs", "--index", index, ...embeddings];
    const isAsked = () => expect.poll(() => server.requests.length, { timeout: 30_000 }).toBeGreaterThan(0);
    const stopped = await folder.run(args, { during: (child) => void isAsked().then(() => child.kill("SIGINT")) });
    expect(stopped).toMatchObject({ exitCode: 130, stdout: "" });
    expect(stopped.stderr).toMatch(/Stopped\. The next run goes on from here\.\n$/);
    const before = server.requests.flat().length;
    expect(before).toBeLessThan(640);
    server.behave({});
    expect((await folder.run(args)).stdout).toContain("640 passages");
    expect(server.requests.flat().length).toBeLessThanOrEqual(640 + 64 + 2);
  });
});
