import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { documents } from "../../../src/documents/documents.js";
import { listDocuments } from "../../../src/documents/folder/document-files.js";
import { documentFolder } from "../document-folder.js";
import { addresses } from "../outcomes.js";

const { root, folder, write } = documentFolder();

function link(path: string, target: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  symlinkSync(target, join(folder, path));
}

async function listed() {
  const { documents, others } = await listDocuments(folder);
  return { paths: documents.map(({ path }) => path), links: [...others.links].sort(), kinds: [...others.kinds].sort() };
}

describe("links", () => {
  it("to what is found without them add nothing, also in circles", async () => {
    write("a.md");
    write("deep/b.md");
    link("again.md", "a.md");
    link("absolute.md", join(folder, "a.md"));
    link("deep/up", "..");
    link("deep/self", ".");
    link("shallow", "deep");
    link("all", folder);
    expect(await listed()).toEqual({ paths: ["a.md", "deep/b.md"], links: [], kinds: [] });
  });

  it("to what is hidden are followed, each file once", async () => {
    write(".store/one.md");
    write(".store/sub/two.md");
    write(".store/sub/.never.md");
    write(".store/picture.png");
    write("node_modules/pack/readme.md");
    link("first.md", ".store/one.md");
    link("second.md", ".store/one.md");
    link("pack", "node_modules/pack");
    link("part", ".store/sub");
    link("store", ".store");
    link(".store/up", "..");
    link(".store/sub/circle", "../../.store");
    expect(await listed()).toEqual({
      paths: ["first.md", "pack/readme.md", "part/two.md"],
      links: [],
      kinds: [[".png", 1]],
    });
  });

  it("to a file whose own name is not that of a document are followed", async () => {
    write("LICENSE");
    write("picture.png");
    link("license.md", "LICENSE");
    link("same.md", "license.md");
    link("other.png", "picture.png");
    expect(await listed()).toEqual({
      paths: ["license.md"],
      links: [],
      kinds: [
        ["", 1],
        [".png", 1],
      ],
    });
  });

  it("out of the folder, or to nowhere, are named and not followed, by whatever way they lead", async () => {
    write("docs-of-others/secret.md", "Rain", root);
    link("beside", "../docs-of-others");
    link("secret.md", "../docs-of-others/secret.md");
    link(".way", "../docs-of-others");
    link("way.md", ".way/secret.md");
    link("nowhere.md", "none.md");
    link("circle.md", "circle.md");
    link(".store/inner", "../../docs-of-others");
    link("store", ".store");
    expect(await listed()).toEqual({
      paths: [],
      links: ["beside", "circle.md", "nowhere.md", "secret.md", "store/inner", "way.md"],
      kinds: [],
    });
  });
});

it("A volume of Kubernetes is read, and followed when it is switched to another version", async () => {
  const version = (name: string, animal: string) => {
    write(`..${name}/guide.md`, `# Guide\n\nThe ${animal} is an animal.`);
    write(`..${name}/more/page.md`, `# Page\n\nMore of the ${animal}.`);
    // Kubernetes switches to a version in one step.
    link("..data_tmp", `..${name}`);
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  version("2024_01", "zebra");
  link("guide.md", "..data/guide.md");
  link("more", "..data/more");
  await using docs = documents({ folder });
  const found = async (words: string) => addresses(await docs.invoke(words)).sort();
  for (let time = 0; time < 3; time++) expect(await found("zebra")).toEqual(["guide.md", "more/page.md"]);
  version("2024_02", "okapi");
  rmSync(join(folder, "..2024_01"), { recursive: true });
  expect(await found("okapi")).toEqual(["guide.md", "more/page.md"]);
  expect(await found("zebra")).toEqual([]);
  expect((await docs.search("okapi")).notSearched).toMatchObject({ skippedCount: 0, others: { links: [] } });
  // A file that is changed where it is hidden is noticed, too.
  write("..2024_02/guide.md", "A giraffe.");
  expect(await found("giraffe")).toEqual(["guide.md"]);
});
