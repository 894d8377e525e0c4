import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InvalidOptionError } from "../../src/base/errors.js";
import { documents } from "../../src/documents/documents.js";
import type { IndexProgress } from "../../src/documents/index-progress.js";
import { createRetrievalAgent, documentSearch, streamTurn } from "../../src/index.js";
import { type EmbeddingServer, startEmbeddingServer } from "../helpers/embedding-server.js";
import { querySqlite } from "../helpers/query-sqlite.js";
import { allOf } from "../helpers/turn-events.js";
import { documentFolder } from "./document-folder.js";
import { addresses, refusalOf } from "./outcomes.js";

const { root, folder, index, write } = documentFolder();

/** A text of a number of characters, in which a word stands once at the end. */
const paragraph = (word: string, length: number) => `${"and so on ".repeat(length / 10 - 1)}${word.padEnd(10)}`.trim();

/** The texts that a server was given beside queries. */
const embeddedBy = ({ requests }: EmbeddingServer) => requests.flat().filter((text) => text.includes("\n\n"));

describe("documents", () => {
  it("is a retriever of LangChain, whose documents name title, address, heading and score", async () => {
    write("guide.md", "# The guide\n\n## Install\n\n### Linux\n\nUse the package.");
    write("notes.txt", "This is small, and the package is one of many things that are in the house.");
    await using guides = documents({ folder });
    const [first, second] = await guides.invoke("package");
    expect(first).toMatchObject({
      pageContent: "Use the package.",
      metadata: { title: "The guide", address: "guide.md", heading: "The guide > Install > Linux" },
    });
    expect(second?.metadata).toMatchObject({ title: "notes.txt", address: "notes.txt", heading: "" });
    expect(first?.metadata.score).toBeGreaterThan(second?.metadata.score ?? 0);
    expect(second?.metadata.score).toBeGreaterThan(0);
    expect(await guides.pipe((found) => found.length).invoke("package")).toBe(2);
  });

  it("goes on for one caller when another aborts", async () => {
    for (let n = 0; n < 300; n++) write(`${n}.md`, "Rain");
    await using docs = documents({ folder });
    const stop = new AbortController();
    const stopped = docs.search("rain", { signal: stop.signal });
    const other = docs.search("rain");
    stop.abort();
    await expect(stopped).rejects.toThrow(/abort/i);
    await expect(docs.refresh(undefined, { signal: stop.signal })).rejects.toThrow(/abort/i);
    expect((await other).found).toHaveLength(4);
  });

  it("shows the section around a passage, each section once, up to the character limit", async () => {
    const parts = ["first", "second", "apple", "fourth", "fifth"].map((word) => paragraph(word, 700));
    write("a.md", `# One\n\n${parts.join("\n\n")}\n\n# Two\n\nAn apple a day.`);
    await using docs = documents({ folder });
    const found = await docs.invoke("apple");
    expect(found.map(({ pageContent }) => pageContent)).toEqual(["An apple a day.", `${parts[2]}\n\n${parts[3]}`]);

    const [both, ...others] = await docs.invoke("first second");
    expect(both?.pageContent).toBe(`${parts[0]}\n\n${parts[1]}`);
    expect(others).toEqual([]);
    expect((await docs.invoke("fifth"))[0]?.pageContent).toBe(`${parts[3]}\n\n${parts[4]}`);
  });

  it("does not join sections of the same name", async () => {
    write("a.md", "## Example\n\nAn apple.\n\n## Example\n\nA pear.");
    await using docs = documents({ folder });
    expect((await docs.invoke("apple"))[0]?.pageContent).toBe("An apple.");
  });

  it("compares minScore with the shown score", async () => {
    write("a.md", "# Rain\n\nRain and more rain.");
    write("b.md", "It did not rain, but there was wind, and fog, and snow, and there were clouds.");
    await using docs = documents({ folder });
    const [best, worse] = await docs.invoke("rain");
    if (!best || !worse) throw new Error("Two passages have the word.");
    for (const [minScore, count] of [
      [worse.metadata.score, 2],
      [best.metadata.score, 1],
      [best.metadata.score + 1e-6, 0],
    ] as const) {
      await using strict = documents({ folder, minScore });
      expect(await strict.invoke("rain")).toHaveLength(count);
    }
  });

  it("refuses invalid options", () => {
    expect(() => documents({ folder, index: "" })).toThrow("documents.index");
    expect(() => documents({ folder, index: "postgres://host/docs" })).toThrow("Give the path of a file");
    expect(() => documents({ folder, embeddings: {} as never })).toThrow("documents.embeddings");
    expect(() => documents({ folder, minScore: Number.NaN })).toThrow("documents.minScore");
    expect(() => documents({ folder, filter: { author: "Ann" } as never })).toThrow("documents.filter");
    expect(() => documents({ folder }).withFilter({ path: "" })).toThrow(InvalidOptionError);
    expect(() => documents({ folder }).withFilter({ extension: "*" })).toThrow(InvalidOptionError);
  });
});

describe("a filter of documents", () => {
  beforeEach(() => {
    write("guides/a.md", "---\nlang: en\ntags: [api, cli]\nyear: 2020\n---\nRain");
    write("guides/deep/b.md", "---\nlang: de\ntags: api\n---\nRain");
    write("c.txt", "Rain");
    write("[x]/D.MD", "Rain");
  });

  it.each([
    [{}, ["[x]/D.MD", "c.txt", "guides/a.md", "guides/deep/b.md"]],
    [{ path: "guides/*" }, ["guides/a.md", "guides/deep/b.md"]],
    [{ path: ["c.tx?", "[x]/*", "guides"] }, ["[x]/D.MD", "c.txt"]],
    [{ extension: "md" }, ["[x]/D.MD", "guides/a.md", "guides/deep/b.md"]],
    [{ extension: [".txt", "pdf"] }, ["c.txt"]],
    [{ frontMatter: { lang: ["en", "de"], tags: "api" } }, ["guides/a.md", "guides/deep/b.md"]],
    [{ frontMatter: { year: 2020 } }, ["guides/a.md"]],
    [{ frontMatter: { "lang' or 1 --": "en" } }, []],
    [{ path: "guides/*", extension: "md", frontMatter: { lang: "en" } }, ["guides/a.md"]],
  ])("%j finds %j, by words and by meaning", async (filter, expected) => {
    await using server = await startEmbeddingServer();
    await using words = documents({ folder, maxResults: 9 });
    await using both = documents({ folder, maxResults: 9, embeddings: server.client() });
    expect(addresses(await words.withFilter(filter).invoke("rain")).sort()).toEqual(expected);
    expect(addresses(await both.withFilter(filter).invoke("rain")).sort()).toEqual(expected);
    await using given = documents({ folder, maxResults: 9, filter });
    expect(addresses(await given.invoke("rain")).sort()).toEqual(expected);
  });

  it("follows a change of the front matter", async () => {
    await using german = documents({ folder, filter: { frontMatter: { lang: "de" } } });
    expect(await german.invoke("rain")).toHaveLength(1);
    write("guides/a.md", "---\nlang: de\n---\nRain in both.");
    expect(await german.invoke("rain")).toHaveLength(2);
    rmSync(join(folder, "guides"), { recursive: true });
    expect(await german.invoke("rain")).toEqual([]);
  });
});

describe("documents with embeddings", () => {
  let server: EmbeddingServer;

  beforeEach(async () => {
    server = await startEmbeddingServer();
  });

  afterEach(() => server[Symbol.asyncDispose]());

  const embedded = () => embeddedBy(server);

  it("finds passages with other words, and scores all by cosine", async () => {
    write("a.md", "The car was red.");
    write("b.md", "The boat was blue.");
    write("c.md", "It is a holiday.");
    await using words = documents({ folder });
    expect(await words.invoke("automobile")).toEqual([]);
    await using docs = documents({ folder, embeddings: server.client() });
    const found = await docs.invoke("red automobile");
    expect(addresses(found)[0]).toBe("a.md");
    for (const { metadata } of found) expect(Math.abs(metadata.score)).toBeLessThanOrEqual(1);
    expect(found[0]?.metadata.score).toBeGreaterThan(0.5);
    // No word says what to look for, but a vector does.
    expect(addresses(await docs.invoke("it is a"))[0]).toBe("c.md");
    await using strict = documents({ folder, embeddings: server.client(), minScore: 0.5 });
    expect(addresses(await strict.invoke("red automobile"))).toEqual(["a.md"]);
  });

  it("embeds a text once, below its headings, however often its file is changed, renamed or copied", async () => {
    const parts = Array.from({ length: 10 }, (_, n) => `## Part ${n}\n\nText of part ${n}.`);
    write("a.md", `# Title\n\n${parts.join("\n\n")}`);
    await using docs = documents({ folder, index, embeddings: server.client() });
    await docs.refresh();
    expect(embedded()).toHaveLength(10);
    expect(embedded()).toContain("Title > Part 7\n\nText of part 7.");
    write("a.md", `# Title\n\n${parts.join("\n\n")}\n\n## Part 10\n\nNew.`);
    await docs.refresh();
    expect(embedded()).toHaveLength(11);
    renameSync(join(folder, "a.md"), join(folder, "b.md"));
    write("c.md", `---\nlang: en\n---\n# Title\n\n${parts.join("\n\n")}`);
    const { passages } = await docs.refresh();
    expect(embedded()).toHaveLength(11);
    expect(passages).toBe(21);

    rmSync(join(folder, "b.md"));
    rmSync(join(folder, "c.md"));
    await docs.refresh();
    for (const table of ["vector_signs", "passages", "documents", "fields"]) {
      expect(await querySqlite(index, `select count(*) as count from ${table}`)).toEqual([{ count: 0 }]);
    }
  });

  it("makes all vectors again for another model, and reports it", async () => {
    for (const name of ["a.md", "b.md"]) write(name, `Rain in ${name}`);
    await using first = documents({ folder, index, embeddings: server.client("one") });
    await first.refresh();
    await first.close();
    server.requests.length = 0;
    const told: IndexProgress[] = [];
    await using second = documents({ folder, index, embeddings: server.client("two") });
    await second.refresh((progress) => told.push(progress));
    expect(told).toEqual([
      { step: "other-model", before: "one (64)" },
      { step: "embedding", done: 2, total: 2 },
    ]);
    expect(embedded()).toHaveLength(2);

    // A server may have got another model under the same name. Its vectors have another length.
    server.behave({ length: 100 });
    await using third = documents({ folder, index, embeddings: server.client("two") });
    expect(addresses(await third.invoke("rain in b.md"))[0]).toBe("b.md");
    expect(embedded()).toHaveLength(4);
    expect(await refusalOf(second.invoke("rain"))).toContain("a vector of 100 numbers after others of 64");
  });

  it("reports a failing model, and resumes the indexing later", async () => {
    for (let n = 0; n < 100; n++) write(`${n}.md`, `Rain on day ${n}`);
    server.behave({ status: 500 });
    await using docs = documents({ folder, index, embeddings: server.client() });
    expect(await refusalOf(docs.refresh())).toBe(
      "Cannot search the documents: the embedding model words-64 failed: 500 the server is down for a test.",
    );
    expect(await refusalOf(docs.invoke("rain"))).toContain("the server is down");
    server.behave({ zeros: true });
    expect(await refusalOf(docs.invoke("rain"))).toContain("something that is not a vector");
    server.behave({});
    const told: IndexProgress[] = [];
    await docs.refresh((progress) => told.push(progress));
    expect(told).toEqual([
      { step: "embedding", done: 64, total: 100 },
      { step: "embedding", done: 100, total: 100 },
    ]);
    server.behave({ status: 500 });
    await using words = documents({ folder, index });
    expect(await docs.withFallbacks([words]).invoke("day 7")).toHaveLength(4);
  });

  it("refuses a model that returns too few vectors, or texts", async () => {
    write("a.md", "Rain");
    for (const [returned, reason] of [
      [[], "it returned 0 vectors for 1 texts"],
      [["x"], "something that is not a vector"],
      [[[1, 2]], "a vector of 2 numbers after others of 3"],
    ] as const) {
      const embeddings = { embedQuery: async () => [1, 2, 3], embedDocuments: async () => returned as never };
      await using docs = documents({ folder, embeddings });
      expect(await refusalOf(docs.invoke("rain"))).toContain(reason);
    }
  });

  it("tells a retrieval agent what was not searched, and how far it is, as a retriever and as a tool", async () => {
    for (let n = 0; n < 250; n++) write(`${n}.md`, `Rain on day ${n}`);
    for (const make of [documents, documentSearch]) {
      const ask = async (readingTimeMs?: number) => {
        await using retriever = make({ folder, readingTimeMs });
        const agent = createRetrievalAgent({ model: "offline", retriever });
        return allOf(streamTurn(agent, { messages: "Was it rain on day 7?" }));
      };
      const unread = await ask(0);
      const notSearched = "Not searched: 250 new or changed documents (there was no time; search again).";
      expect(unread.find(({ type }) => type === "search")).toMatchObject({ found: 0, notSearched });
      expect(unread.findLast(({ type }) => type === "answer")).toMatchObject({
        stopReason: "not-found",
        text: expect.stringMatching(/^Nothing of what I could search .* search again\)\.$/),
      });
      const told = (await ask()).filter(({ type }) => type === "indexing" || type === "search");
      expect(told).toMatchObject([
        { type: "indexing", work: "reading", done: 200, total: 250 },
        { type: "indexing", work: "reading", done: 250, total: 250 },
        { type: "search", found: 4 },
      ]);
      expect(told[2]).not.toHaveProperty("notSearched");
    }
  });

  it("finds the nearest of many vectors", async () => {
    const lines = Array.from({ length: 1_500 }, (_, n) => `# Item ${n}\n\nstone${n % 40} tree${n % 41} bird${n}`);
    write("a.md", lines.join("\n\n"));
    await using docs = documents({ folder, embeddings: server.client(), maxResults: 1 });
    await docs.refresh();
    for (const n of [0, 777, 1_499]) {
      const [best] = await docs.invoke(`stone${n % 40} tree${n % 41} item ${n}`);
      expect(best?.metadata.heading).toBe(`Item ${n}`);
    }
  });

  it("says that another process has made vectors by another model meanwhile", async () => {
    write("a.md", "Rain");
    await using two = documents({ folder, index, embeddings: server.client("two") });
    const meddled = async (numbers: number[]) => {
      await two.refresh();
      return numbers;
    };
    const embedQuery = async () => [1, 2, 3];
    const whileBuilt = { embedQuery, embedDocuments: async () => [await meddled([1, 2, 3])] };
    await using one = documents({ folder, index, embeddings: whileBuilt });
    expect(await refusalOf(one.refresh())).toContain("another process makes the vectors of this index by two (64)");

    let queries = 0;
    const whileSearched = {
      embedQuery: () => (++queries === 1 ? embedQuery() : meddled([1, 2, 3])),
      embedDocuments: async () => [[1, 2, 3]],
    };
    await using other = documents({ folder, index, embeddings: whileSearched });
    expect(await refusalOf(other.invoke("rain"))).toContain("the vectors of the index were made by two (64) meanwhile");
  });
});

describe("refresh of documents", () => {
  it("reports its progress, the size of the index, and skipped files", async () => {
    for (let n = 0; n < 250; n++) write(`${n}.md`, "# A\n\nRain\n\n# B\n\nSnow");
    for (let n = 0; n < 5; n++) write(`bad${n}.txt`, "\0");
    const told: IndexProgress[] = [];
    await using docs = documents({ folder, index });
    const report = await docs.refresh((progress) => told.push(progress));
    expect(told).toEqual([
      { step: "reading", done: 200, total: 255 },
      { step: "reading", done: 255, total: 255 },
    ]);
    expect(report).toMatchObject({ documents: 255, passages: 500, notSearched: { skippedCount: 5, unread: 0 } });
    expect(report.notSearched.skipped).toHaveLength(5);
    told.length = 0;
    await docs.refresh((progress) => told.push(progress));
    expect(told).toEqual([]);
  });

  it("keeps the vectors of documents that are away for 30 days, and does not find them", async () => {
    await using server = await startEmbeddingServer();
    const [there, away] = [join(folder, "there"), join(folder, "away")];
    write("there/a.md", "+++\nlang = 'en'\n+++\n# Rain\n\nIt pours.");
    await using docs = documents({ folder: there, index, embeddings: server.client() });
    await docs.refresh();
    const paid = async () => server.requests.flat().filter((text) => text.includes("pours")).length;
    const vectors = async () => querySqlite(index, "select count(*) as count from vectors");
    renameSync(there, away);
    mkdirSync(there);
    await docs.refresh();
    expect(await docs.invoke("rain")).toEqual([]);
    rmSync(there, { recursive: true });
    renameSync(away, there);
    await docs.refresh();
    expect(addresses(await docs.invoke("rain"))).toEqual(["a.md"]);
    expect([await paid(), await vectors()]).toEqual([1, [{ count: 1 }]]);

    rmSync(join(there, "a.md"));
    await docs.refresh();
    await querySqlite(index, "update unused_vectors set since = since - 31 * 24 * 3600000.0", "select 1");
    write("there/b.md", "Snow");
    await docs.refresh();
    expect(await vectors()).toEqual([{ count: 1 }]);
    expect(await querySqlite(index, "select count(*) as count from unused_vectors")).toEqual([{ count: 0 }]);
  });

  it.each([
    ["of another version", "pragma user_version = 1", "another version of Glassloop made it"],
    ["of a later version", "pragma user_version = 5", "another version of Glassloop made it"],
    ["with a trigger", "create trigger t after insert on passages begin select 1; end", "it was changed by"],
    ["with another table", "create table mine (name)", "it was changed by another program"],
  ])("refuses an index %s, and leaves it as it was", async (_, change, reason) => {
    write("a.md", "Rain");
    const first = documents({ folder, index });
    await first.refresh();
    await first.close();
    await querySqlite(index, change, "select 1");
    const before = readFileSync(index);
    const refusal = await refusalOf(documents({ folder, index }).invoke("rain"));
    expect(refusal).toContain(reason);
    expect(refusal).toContain("Delete it: it is made again from the documents.");
    expect(readFileSync(index)).toEqual(before);
  });

  it("resumes after a kill, and loses one batch at most", async () => {
    await using server = await startEmbeddingServer();
    server.behave({ delayMs: 30 });
    for (let n = 0; n < 640; n++) write(`${n}.md`, `Rain on day ${n}`);
    const child = startProgram(server.url, "await docs.refresh(({ step, done }) => console.log(step, done));");
    let told = "";
    for await (const piece of child.stdout) {
      told += String(piece);
      if (told.includes("embedding 256")) break;
    }
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const asked = embeddedBy(server).length;
    server.requests.length = 0;

    await using docs = documents({ folder, index, embeddings: server.client() });
    const { passages } = await docs.refresh();
    expect(passages).toBe(640);
    expect(asked + embeddedBy(server).length).toBeLessThanOrEqual(640 + 64);
    expect(asked).toBeGreaterThanOrEqual(256);
    expect(addresses(await docs.invoke("day 639"))).toContain("639.md");
    expect(await querySqlite(index, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it("can be done by three processes at once, and each text is embedded once", async () => {
    await using server = await startEmbeddingServer();
    server.behave({ delayMs: 5 });
    for (let n = 0; n < 300; n++) write(`${n}.md`, `Rain on day ${n}`);
    const program = `
      await docs.refresh();
      const [best] = await docs.invoke("rain on day 250");
      if (best?.metadata.address !== "250.md") throw new Error(JSON.stringify(best));
      await docs.close();`;
    const exits = [1, 2, 3].map(() => once(startProgram(server.url, program), "exit"));
    for (const exit of exits) expect(await exit).toEqual([0, null]);
    expect(embeddedBy(server)).toHaveLength(300);
    for (const table of ["documents", "passages", "passage_words", "vectors", "vector_signs"]) {
      expect(await querySqlite(index, `select count(*) as count from ${table}`)).toEqual([{ count: 300 }]);
    }
    expect(readdirSync(root).sort()).toEqual(["docs", "documents.db"]);
  });

  /** Starts a program that has the documents, with embeddings of the server. */
  function startProgram(url: string, body: string) {
    const module = fileURLToPath(new URL("../../dist/documents/documents.js", import.meta.url));
    const program = `
      const { documents } = await import(${JSON.stringify(module)});
      const { OpenAIEmbeddings } = await import("@langchain/openai");
      const [folder, index, baseURL] = ${JSON.stringify([folder, index, url])};
      const model = { model: "words-64", apiKey: "none", maxRetries: 0, stripNewLines: false, configuration: { baseURL } };
      const docs = documents({ folder, index, embeddings: new OpenAIEmbeddings(model) });
      ${body}`;
    const parameters = ["--input-type=module", "-e", program];
    return spawn(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  }
});
