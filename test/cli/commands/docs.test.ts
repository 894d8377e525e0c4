import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startEmbeddingServer } from "../../helpers/embedding-server.js";
import { runProgram } from "../fake-io.js";
import { type WorkingFolder, workingFolder } from "../run-cli.js";

let folder: WorkingFolder;
let docs: string;
let index: string;

beforeEach(async () => {
  folder = await workingFolder();
  docs = join(folder.path, "docs");
  index = join(folder.path, "documents.db");
  mkdirSync(docs);
});

afterEach(() => folder[Symbol.asyncDispose]());

function write(path: string, text: string): void {
  writeFileSync(join(docs, path), text);
}

describe("glassloop docs index", () => {
  test("shows its progress, the size of the index, and skipped files", async () => {
    write("a.md", "# A\n\nRain\n\n# B\n\nSnow");
    write("bad\u001b[31m.txt", "\0");
    write("c.png", "x");
    const { exitCode, stdout, stderr } = await runProgram(["docs", "index", docs, "--index", index]);
    expect(exitCode).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      `2 documents, 2 passages in ${index}\nNot searched: bad [31m.txt (it is not a text), 1 file that tesseract.js can turn into text (.png).\n`,
    );
    const again = await runProgram(["docs", "index", docs, "--index", index, "--json"]);
    expect(again.stderr).toBe("");
    expect(JSON.parse(again.stdout)).toEqual({
      type: "index",
      index,
      documents: 2,
      passages: 2,
      notSearched: {
        skipped: [{ path: "bad\u001b[31m.txt", skipped: "it is not a text" }],
        skippedCount: 1,
        unread: 0,
        unembedded: 0,
        isReadOnly: false,
        kinds: { ".png": 1 },
        links: [],
        closed: [],
        hasMore: false,
      },
    });
  });

  test("refuses a URL in place of a file, and shows no password of the URL", async () => {
    write("a.md", "Rain");
    const address = "postgres://ann:pass-for-tests@127.0.0.1/docs";
    const { exitCode, stderr } = await runProgram(["docs", "index", docs, "--index", address]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Give the path of a file");
    expect(stderr).not.toContain("pass-for-tests");
  });

  test("writes over one line on a terminal", async () => {
    write("a.md", "Rain");
    const { stderr } = await runProgram(["docs", "index", docs, "--index", index], { terminal: "stderr" });
    expect(stderr).toBe("\r\u001b[K⠋ Read 1 of 1 new and changed documents\r\u001b[K");
  });

  test("makes the index that ask --docs uses", async () => {
    write("a.md", "# Rain\n\nThe rain in Spain stays mainly in the plain.");
    const db = ["--db", `sqlite:${folder.path}/threads.db`];
    const indexed = await runProgram(["docs", "index", docs, ...db]);
    expect(indexed.stdout).toBe(`1 document, 1 passage in ${folder.path}/threads.documents.db\n`);
    await runProgram(["ask", "--docs", docs, "--quiet", ...db, "Where does the rain in Spain stay?"]);
    const again = await runProgram(["docs", "index", docs, ...db]);
    expect(again.stderr).toBe("");
  });

  test("makes vectors by an embedding model, and says that another model made the old ones", async () => {
    await using server = await startEmbeddingServer();
    for (let n = 0; n < 70; n++) write(`${n}.md`, `Rain on day ${n}`);
    const options = ["--index", index, "--embeddings-url", server.url];
    const run = (model: string) => runProgram(["docs", "index", docs, ...options, "--embeddings", `openai:${model}`]);
    expect((await run("one")).stdout).toBe(`70 documents, 70 passages in ${index}\n`);
    expect(server.requests.flat()).toContain("7.md\n\nRain on day 7");
    expect((await run("two")).stderr).toMatch(/^The vectors were made by one \(64\)\. All are made again\.\n$/);
    server.behave({ status: 401 });
    const failed = await run("two");
    expect(failed).toMatchObject({ exitCode: 1, stdout: "" });
    expect(failed.stderr).toContain("the embedding model two failed: 401 the server is down for a test");
  });

  test("says what is wrong", async () => {
    write("a.md", "Rain");
    const errorOf = async (...args: string[]) => (await runProgram(["docs", "index", ...args])).stderr;
    expect(await errorOf(join(docs, "none"))).toContain("<dir>: there is no folder");
    expect(await errorOf(docs, "--db", "memory:")).toContain("Say where the index is, with --index");
    expect(await errorOf(docs, "--index", index, "--embeddings-url", "http://x")).toContain(
      "name that with --embeddings",
    );
    expect(await errorOf(docs, "--index", index, "--embeddings", "bert")).toContain('Write "openai:NAME"');
    expect(await errorOf(docs, "--index", index, "--embeddings", "openai:m")).toContain("OPENAI_API_KEY");
    expect(await errorOf(docs, "--index", join(docs, "a.md", "x.db"))).toContain("a part of this path is a file");
  });
});

describe("glassloop docs search", () => {
  test("shows passages with their scores", async () => {
    write("a.md", "# Weather\n\n## Rain\n\nRain falls.");
    write("b.txt", "It may rain, or it may not, and who knows what is to come after all of this?");
    const { stdout, stderr } = await runProgram(["docs", "search", docs, "rain", "falls", "--index", index]);
    expect(stdout).toMatch(/^0\.\d{3} {2}a\.md {2}Weather > Rain\nRain falls\.\n\n0\.\d{3} {2}b\.txt\nIt may rain/);
    expect(stderr).toBe("");
    const json = await runProgram(["docs", "search", docs, "rain", "--index", index, "--json", "--limit", "1"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ type: "passage", address: "a.md", heading: "Weather > Rain" });
  });

  test("says how many passages it can show", async () => {
    const { exitCode, stderr } = await runProgram(["docs", "search", docs, "rain", "--index", index, "--limit", "51"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(/--limit.*Give at most 50\./) });
  });

  test("says that nothing was found, and what was not searched", async () => {
    write("a.png", "x");
    const { exitCode, stdout, stderr } = await runProgram(["docs", "search", docs, "rain", "--index", index]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(stderr).toBe("Nothing was found.\nNot searched: 1 file that tesseract.js can turn into text (.png).\n");
  });
});
