import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { documents } from "../../src/documents/documents.js";
import { documentFolder } from "./document-folder.js";

const { root, folder, write } = documentFolder();
const place = join(root, "index");
const index = join(place, "documents.db");

beforeEach(() => mkdirSync(place));

interface Outcome {
  readonly found?: readonly string[];
  readonly told?: readonly string[];
  /** The number of texts that were sent to the model. */
  readonly sent?: number;
  readonly error?: string;
}

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const module = (path: string) =>
  JSON.stringify(fileURLToPath(new URL(`../../dist/documents/${path}`, import.meta.url)));
const program = `
  const { documents } = await import(${module("documents.js")});
  const { tellNotSearched } = await import(${module("not-searched.js")});
  process.on("message", async ([query, folder, index]) => {
    let sent = 0;
    const embeddings = {
      model: "lengths",
      embedQuery: async (text) => [text.length, 1, 1],
      embedDocuments: async (texts) => texts.map((text) => [text.length, ++sent && 1, 1]),
    };
    const docs = documents({ folder, index, embeddings });
    let outcome;
    try {
      if (query === "") await docs.refresh();
      const { found, notSearched } = await docs.search(query || "rain");
      const addresses = found.map(({ metadata }) => metadata.address).sort();
      outcome = { found: addresses, told: tellNotSearched(notSearched), sent };
    } catch ({ message }) {
      outcome = { error: message };
    }
    await docs.close();
    process.send(outcome);
  });`;

/** A process whose rights count: those of root do not, so that it gives them up. */
let child: ChildProcess;

beforeAll(() => {
  child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    ...(isRoot && { uid: nobody, gid: nobody }),
  });
});

afterAll(async () => {
  child.disconnect();
  await once(child, "exit");
});

/** Searches. An empty query is one for "rain" after the whole index was made. */
async function search(query: string, docs = folder): Promise<Outcome> {
  if (isRoot) execFileSync("chown", ["-R", `${nobody}:${nobody}`, root]);
  child.send([query, docs, index]);
  const [outcome] = await once(child, "message");
  return outcome;
}

describe("A folder without rights", () => {
  it("loses its documents only for as long as it has none, and nothing is embedded again", async () => {
    write("open.md", "# Open\n\nRain");
    write("legal/contract.md", "# Contract\n\nRain in the contract");
    const whole = { found: ["legal/contract.md", "open.md"], told: [] };
    expect(await search("rain")).toEqual({ ...whole, sent: 2 });
    for (const [rights, told] of [
      [0o000, "Not searched: the folder legal (it cannot be listed)."],
      [0o444, "Not searched: legal/contract.md (it cannot be read)."],
    ] as const) {
      chmodSync(join(folder, "legal"), rights);
      expect(await search("rain")).toEqual({ found: ["open.md"], told: [told], sent: 0 });
      chmodSync(join(folder, "legal"), 0o755);
      expect(await search("rain")).toEqual({ ...whole, sent: 0 });
    }
    chmodSync(folder, 0o000);
    expect((await search("rain")).error).toContain("cannot be listed. Change its rights");
    chmodSync(folder, 0o755);
    expect(await search("rain")).toEqual({ ...whole, sent: 0 });
  });
});

describe("An index that cannot be written", () => {
  const close = () => {
    chmodSync(index, 0o444);
    chmodSync(place, 0o555);
  };
  const open = () => {
    chmodSync(place, 0o755);
    chmodSync(index, 0o644);
  };

  it("is searched as it is, tells of newer files, and stays as it was", async () => {
    write("a.md", "# A\n\nRain");
    write("b.md", "# B\n\nRain");
    expect(await search("rain")).toMatchObject({ sent: 2 });
    close();
    const before = readFileSync(index);
    // An image of a container keeps whole seconds.
    const seconds = Math.floor(statSync(join(folder, "a.md")).mtimeMs / 1_000);
    utimesSync(join(folder, "a.md"), seconds, seconds);
    expect(await search("rain")).toEqual({ found: ["a.md", "b.md"], told: [], sent: 0 });
    write("new.md", "# New\n\nRain");
    rmSync(join(folder, "b.md"));
    const told = ["Not searched: 1 new or changed document (the index cannot be written)."];
    expect(await search("rain")).toEqual({ found: ["a.md"], told, sent: 0 });
    expect((await search("")).error).toContain(
      `the index "${index}" cannot be written, and is not up to date (1 new or changed documents, 1 that are gone, and 0 passages without vectors)`,
    );
    expect(readFileSync(index).equals(before)).toBe(true);
    open();
    expect(await search("rain")).toEqual({ found: ["a.md", "new.md"], told: [], sent: 1 });
  });

  it("serves its folder in another place, but not one of several", async () => {
    write("a.md", "# A\n\nRain");
    write("unread.md", "Rain");
    chmodSync(join(folder, "unread.md"), 0o000);
    await search("rain");
    const moved = join(root, "moved");
    renameSync(folder, moved);
    close();
    const told = ["Not searched: unread.md (it cannot be read)."];
    expect(await search("", moved)).toEqual({ found: ["a.md"], told, sent: 0 });
    const strange = join(root, "strange");
    write("a.md", "# A\n\nOther rain", strange);
    const lacks = (path: string) => `cannot be written, and does not have the folder "${path}"`;
    expect((await search("rain", strange)).error).toContain(lacks(strange));
    open();
    mkdirSync(folder);
    await search("rain");
    await search("rain", moved);
    close();
    const third = join(root, "third");
    mkdirSync(third);
    expect((await search("rain", third)).error).toContain(lacks(third));
  });

  it("is refused if it is of an earlier version", async () => {
    write("a.md", "Rain");
    await search("rain");
    const bytes = readFileSync(index);
    // The place of the version in the header of a SQLite file.
    bytes.writeUInt32BE(2, 60);
    writeFileSync(index, bytes);
    close();
    expect((await search("rain")).error).toContain("another version of Glassloop made it");
  });

  it("is searched while another process, which may, writes it", async () => {
    write("a.md", "# A\n\nRain");
    const embeddings = { model: "lengths", embedQuery: async () => [4, 1, 1], embedDocuments: async () => [[4, 1, 1]] };
    await using docs = documents({ folder, index, embeddings });
    await docs.refresh();
    for (const ending of ["", "-wal", "-shm"]) chmodSync(`${index}${ending}`, 0o444);
    chmodSync(place, 0o555);
    expect(await search("rain")).toEqual({ found: ["a.md"], told: [], sent: 0 });
  });
});

describe("A folder that is moved", () => {
  it("finds its index by path or link, and nothing is embedded again", async () => {
    write("a.md", "# A\n\nRain");
    expect(await search("rain")).toMatchObject({ sent: 1 });
    const moved = join(root, "moved");
    renameSync(folder, moved);
    expect(await search("rain", moved)).toEqual({ found: ["a.md"], told: [], sent: 0 });
    const current = join(root, "current");
    symlinkSync("moved", current);
    expect(await search("rain", current)).toEqual({ found: ["a.md"], told: [], sent: 0 });
    write("a.md", "# A\n\nRain");
    rmSync(current);
    symlinkSync("docs", current);
    expect(await search("rain", current)).toEqual({ found: ["a.md"], told: [], sent: 0 });
  });
});
