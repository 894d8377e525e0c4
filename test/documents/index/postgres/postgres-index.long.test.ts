import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { documents } from "../../../../src/documents/documents.js";
import { PostgresIndex } from "../../../../src/documents/index/postgres/postgres-index.js";
import { type EmbeddingServer, startEmbeddingServer } from "../../../helpers/embedding-server.js";
import { sharedPostgres } from "../../../helpers/postgres.js";
import { startVectorPostgres } from "../../../helpers/vector-postgres.js";
import { addresses, refusalOf } from "../../outcomes.js";

let root: string;
let folder: string;
let index: string;
let removeSchema: () => Promise<void>;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "glassloop-documents-"));
  folder = join(root, "docs");
  mkdirSync(folder);
  ({ url: index, remove: removeSchema } = await sharedPostgres().createSchema());
});

afterEach(async () => {
  await removeSchema();
  await rm(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

describe("an index in Postgres", () => {
  it("finds words in all their forms, and shows where they stand", async () => {
    write("guide.md", "# The guide\n\n## Install\n\nUse the packages.\n\n## Remove\n\nCall us.");
    write("notes.txt", "This is small, and the package is one of many things that are in the house.");
    await using docs = documents({ folder, index });
    const [first, second] = await docs.invoke("packaging");
    expect([first?.pageContent, second?.pageContent]).toContain("Use the packages.");
    const [found] = await docs.invoke("installing");
    expect(found).toMatchObject({
      pageContent: "Use the packages.",
      metadata: { title: "The guide", address: "guide.md", heading: "The guide > Install" },
    });
    expect(found?.metadata.score).toBeGreaterThan(0);
  });

  it("counts a word in a heading more than one in the text, and two words more than one", async () => {
    write("text.md", "# One\n\nThe heron stands.");
    write("heading.md", "# Heron\n\nIt stands.");
    write("both.md", "# Two\n\nA heron ate the pike, a heron.");
    await using docs = documents({ folder, index });
    const found = addresses(await docs.invoke("heron"));
    expect(found[0]).toBe("heading.md");
    expect(found).toHaveLength(3);
    write("many.md", "# Three\n\nPike, pike, pike, pike and pike.");
    expect(addresses(await docs.invoke("pike ate"))[0]).toBe("both.md");
  });

  it.each([
    ["café", "The Cafe is open.", "no accents"],
    ["ÖL", "Wir haben öl.", "capitals outside of English"],
    ["東京", "私は東京に住んでいます。", "pairs of characters"],
    ["bar", "See foo/bar_baz.txt for more.", "parts of a path"],
    ["1.2.3", "Version 1.2.3 is out.", "versions"],
    ["o'clock", "It is five o’clock.", "short forms"],
  ])("finds %s", async (query, text) => {
    write("a.txt", text);
    write("b.txt", "Something else: 京東, foo, ba, 3.1.");
    await using docs = documents({ folder, index });
    expect(addresses(await docs.invoke(query))).toEqual(["a.txt"]);
  });

  it("takes every text: halves of characters, endless words, quotes, and words that only join", async () => {
    write("a.txt", `${"x".repeat(1_199)}😀😀 heron ' " \\ \\u0000 ${"y".repeat(5_000)}`);
    await using docs = documents({ folder, index });
    expect(addresses(await docs.invoke("heron"))).toEqual(["a.txt"]);
    expect(await docs.invoke("z".repeat(2_000))).toEqual([]);
    expect(await docs.invoke("!!! the")).toEqual([]);
    expect(await docs.invoke("'); drop table glassloop_documents --")).toEqual([]);
  });

  it("follows its folder: new, changed, renamed and deleted files", async () => {
    write("a.txt", "heron");
    write("b.txt", "heron");
    write("c.md", "---\ntags: [bird]\n---\nheron");
    await using docs = documents({ folder, index });
    expect(addresses(await docs.invoke("heron")).sort()).toEqual(["a.txt", "b.txt", "c.md"]);
    write("a.txt", "a pike and an eel");
    renameSync(join(folder, "b.txt"), join(folder, "d.txt"));
    write("e.pdf", "no");
    const { found, documents: count, notSearched } = await docs.search("heron");
    expect(addresses(found).sort()).toEqual(["c.md", "d.txt"]);
    expect(count).toBe(4);
    expect(notSearched).toMatchObject({ skippedCount: 1, skipped: [{ path: "e.pdf" }] });
    rmSync(join(folder, "d.txt"));
    expect(addresses(await docs.invoke("heron"))).toEqual(["c.md"]);
    expect(await docs.refresh()).toMatchObject({ documents: 3, passages: 2 });
  });

  it("searches the documents that fit a filter", async () => {
    write("guides/a.md", "---\nlang: en\ntags: [api, cli]\n---\nheron");
    write("guides/b_1.md", "---\nlang: de\n---\nheron");
    write("guides/bx1.TXT", "heron");
    await using docs = documents({ folder, index });
    const found = async (filter: Parameters<typeof docs.withFilter>[0]) =>
      addresses(await docs.withFilter(filter).invoke("heron")).sort();
    expect(await found({ path: "guides/b*" })).toEqual(["guides/b_1.md", "guides/bx1.TXT"]);
    expect(await found({ path: ["guides/b_1*", "nothing"] })).toEqual(["guides/b_1.md"]);
    expect(await found({ path: "guides/?.md" })).toEqual(["guides/a.md"]);
    expect(await found({ extension: ["txt", ".md"] })).toHaveLength(3);
    expect(await found({ extension: "txt" })).toEqual(["guides/bx1.TXT"]);
    expect(await found({ frontMatter: { tags: ["cli", "web"], lang: "en" } })).toEqual(["guides/a.md"]);
    expect(await found({ frontMatter: { tags: "cli", lang: "de" } })).toEqual([]);
  });

  it("holds minScore against the score that is shown", async () => {
    write("a.md", "# Heron\n\nheron");
    write("b.txt", "heron");
    await using docs = documents({ folder, index });
    const [high, low] = (await docs.invoke("heron")).map(({ metadata }) => metadata.score);
    expect(high).toBeGreaterThan(low ?? 0);
    await using choosy = documents({ folder, index, minScore: high ?? 0 });
    expect(addresses(await choosy.invoke("heron"))).toEqual(["a.md"]);
  });

  it("shows a passage with those beside it in its section, in their order", async () => {
    const parts = Array.from({ length: 5 }, (_, at) => `${"so on ".repeat(110)}part${at}`);
    write("a.md", `# One\n\n${parts.join("\n\n")}\n\n# Two\n\nThe end.`);
    await using docs = documents({ folder, index });
    const [found] = await docs.invoke("part2");
    expect(found?.pageContent.match(/part\d/g)).toEqual(["part2", "part3", "part4"]);
  });

  it("is one for several processes at once, which begin together", async () => {
    for (let at = 0; at < 300; at++) write(`${at}.txt`, `heron number${at}`);
    const all = await Promise.all(
      [1, 2, 3].map(async () => {
        await using docs = documents({ folder, index });
        return docs.refresh();
      }),
    );
    expect(all).toEqual(all.map(() => expect.objectContaining({ documents: 300, passages: 300 })));
    await using docs = documents({ folder, index, maxResults: 50 });
    expect(addresses(await docs.invoke("number7"))).toEqual(["7.txt"]);
  });

  it("has no passage twice when two read a changed file at once", async () => {
    const change = (text: string, second: number) => {
      for (let at = 0; at < 20; at++) {
        write(`${at}.txt`, `${text} ${at}`);
        utimesSync(join(folder, `${at}.txt`), second, second);
      }
    };
    change("heron", 1_000);
    await using one = documents({ folder, index });
    await using other = documents({ folder, index });
    for (let round = 1; round <= 10; round++) {
      change(`heron${round}`, 1_000 + round);
      const reports = await Promise.all([one.refresh(), other.refresh()]);
      expect(reports.map(({ passages }) => passages)).toEqual([20, 20]);
    }
  });

  it("keeps the passages of one version when two put different ones at once", async () => {
    const indexes = await Promise.all([1, 2].map(() => PostgresIndex.open(index, false)));
    const folder = (await indexes[0]?.folder("/docs")) ?? 0;
    for (let round = 0; round < 20; round++) {
      const put = async (one: PostgresIndex, at: number) => {
        const file = { path: "a.txt", modified: 2 * round + at, size: 1 };
        await one.put([{ folder, file, isMarkdown: false, text: "heron" }]);
      };
      await Promise.all(indexes.map(put));
      expect(await indexes[0]?.countPassages(folder)).toBe(1);
    }
    await Promise.all(indexes.map((one) => one.close()));
  });

  it("goes on after kill -9", async () => {
    for (let at = 0; at < 1_000; at++) write(`${at}.txt`, `heron number${at}`);
    const child = indexInOtherProcess();
    const [line] = await once(child.stdout ?? child, "data");
    expect(String(line)).toContain("reading");
    child.kill("SIGKILL");
    await once(child, "exit");
    await using docs = documents({ folder, index });
    const steps: number[] = [];
    const report = await docs.refresh((progress) => {
      if (progress.step === "reading") steps.push(progress.total);
    });
    expect(report).toMatchObject({ documents: 1_000, passages: 1_000 });
    expect(steps[0]).toBeLessThanOrEqual(800);
  });

  it("says what is wrong with an address, without its password", async () => {
    const closed = documents({ folder, index: "postgres://me:a-long-secret@127.0.0.1:1/none" });
    const refusal = await refusalOf(closed.invoke("heron"));
    expect(refusal).toContain('the index "postgres://127.0.0.1:1/none": no server answers there');
    expect(refusal).not.toContain("secret");
    expect(await refusalOf(documents({ folder, index: "postgres://a b" }).invoke("heron"))).toContain("no address");
  });

  it("leaves the tables of another version as they are", async () => {
    const docs = documents({ folder, index });
    await docs.refresh();
    await docs.close();
    const schema = new URL(index).searchParams.get("options")?.split("=")[1];
    await sharedPostgres().query(`update ${schema}.glassloop_document_settings set value = '2' where name = 'version'`);
    expect(await refusalOf(docs.invoke("heron"))).toContain("another version of Glassloop");
  });

  it("names the extension that vectors need, where the server has none", async () => {
    await using server = await startEmbeddingServer();
    await using docs = documents({ folder, index, embeddings: server.client() });
    expect(await refusalOf(docs.invoke("heron"))).toMatch(/vectors need the extension pgvector: .*by their words/s);
    await using words = documents({ folder, index });
    expect(await words.invoke("heron")).toEqual([]);
  });

  /** Starts a process that brings the index up to date, and writes each step on a line. */
  function indexInOtherProcess(): ChildProcess {
    const module = fileURLToPath(new URL("../../../../dist/documents/index.js", import.meta.url));
    const program = `const { documents } = await import(${JSON.stringify(module)});
      await documents(${JSON.stringify({ folder, index })}).refresh((progress) => console.log(JSON.stringify(progress)));`;
    return spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  }
});

describe("vectors in Postgres", () => {
  let database: Awaited<ReturnType<typeof startVectorPostgres>>;
  let server: EmbeddingServer;

  beforeAll(async () => {
    database = await startVectorPostgres();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    server = await startEmbeddingServer();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it("find what has the same meaning in other words, with the cosine for a score", async () => {
    write("a.txt", "My automobile is red");
    write("b.txt", "The weather is fine");
    await using docs = documents({ folder, index: database.url, embeddings: server.client() });
    const found = await docs.invoke("cars red");
    expect(addresses(found)).toEqual(["a.txt", "b.txt"]);
    expect(found[0]?.metadata.score).toBeGreaterThan(0.5);
    expect(found[0]?.metadata.score).toBeLessThanOrEqual(1);
    const minScore = found[0]?.metadata.score ?? 0;
    await using choosy = documents({ folder, index: database.url, embeddings: server.client(), minScore });
    expect(addresses(await choosy.invoke("cars red"))).toEqual(["a.txt"]);
    expect(addresses(await docs.withFilter({ path: "b*" }).invoke("cars red"))).toEqual(["b.txt"]);
  });

  it("are made once for each text, also if its file is renamed", async () => {
    write("a.txt", "My automobile is red");
    write("b.md", "# Weather\n\nIt is fine.");
    await using docs = documents({ folder, index: database.url, embeddings: server.client() });
    await docs.refresh();
    const before = server.requests.length;
    renameSync(join(folder, "b.md"), join(folder, "c.md"));
    await docs.refresh();
    expect(server.requests).toHaveLength(before);
    expect(addresses(await docs.invoke("weather"))[0]).toBe("c.md");
  });

  it("of another model are all made again, also of another length, and a search by the old one says so", async () => {
    write("a.txt", "My automobile is red");
    await using docs = documents({ folder, index: database.url, embeddings: server.client("one") });
    await docs.refresh();
    server.behave({ length: 32 });
    await using other = documents({ folder, index: database.url, embeddings: server.client("two") });
    const steps: unknown[] = [];
    await other.refresh((step) => steps.push(step));
    expect(steps).toContainEqual({ step: "other-model", before: "one (64)" });
    expect(addresses(await other.invoke("cars"))).toEqual(["a.txt"]);
  });
});
