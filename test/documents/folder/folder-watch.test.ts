import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { listDocuments } from "../../../src/documents/folder/document-files.js";
import { FolderWatch } from "../../../src/documents/folder/folder-watch.js";
import { needs } from "../../helpers/needs.js";
import { documentFolder } from "../document-folder.js";

const { root, write } = documentFolder();
const folder = join(root, "site", "docs");

beforeEach(() => {
  write("deep/er/a.md", "Rain", folder);
  write("b", "Snow", root);
});

function replace(path: string): void {
  renameSync(path, join(root, "old"));
  mkdirSync(folder, { recursive: true });
}

async function watched(): Promise<FolderWatch> {
  const watch = await FolderWatch.begin(folder);
  await listDocuments(folder, { watch });
  return watch;
}

/** Mounts a folder on another one. Only some users may. Tells whether it was done. */
function isMounted(from: string, to: string): boolean {
  try {
    execFileSync("mount", ["--bind", from, to], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const hasLinux = needs(process.platform === "linux", "Watched folders are not tried: this is not Linux.");

describe.runIf(hasLinux)("FolderWatch", () => {
  const a = join(folder, "deep", "er", "a.md");

  it.each<[string, () => void]>([
    ["a file is made", () => write("deep/b.md", "Snow", folder)],
    ["a file is written", () => writeFileSync(a, "Snow")],
    ["a file is renamed", () => renameSync(a, join(folder, "deep", "er", "b.md"))],
    ["a file is moved in", () => renameSync(join(root, "b"), join(folder, "b.md"))],
    ["a file is removed", () => rmSync(a)],
    ["the rights of a file change", () => chmodSync(a, 0o400)],
    ["a folder is removed", () => rmSync(join(folder, "deep"), { recursive: true })],
    ["the folder is replaced", () => replace(folder)],
    ["a folder above is replaced", () => replace(join(root, "site"))],
    ["the folder is removed", () => rmSync(folder, { recursive: true })],
  ])("knows at once that %s", async (_, change) => {
    const watch = await watched();
    expect(await watch.isUnchanged(folder)).toBe(true);
    change();
    expect(await watch.isUnchanged(folder)).toBe(false);
    watch.close();
  });

  it("knows that a drive was mounted on a subfolder, and is away again", async (context) => {
    const watch = await watched();
    const isThere = isMounted(root, join(folder, "deep"));
    if (!needs(isThere, "A drive is not tried: nothing can be mounted here.")) return context.skip();
    try {
      expect(await watch.isUnchanged(folder)).toBe(false);
    } finally {
      execFileSync("umount", [join(folder, "deep")]);
      watch.close();
    }
  });

  it("is sure of links that lead straight to what is watched, and of no others", async () => {
    symlinkSync(a, join(folder, "link.md"));
    symlinkSync("deep/er", join(folder, "er"));
    symlinkSync("/etc/hosts", join(folder, "out.md"));
    const straight = await watched();
    expect(await straight.isUnchanged(folder)).toBe(true);
    symlinkSync("link.md", join(folder, "second.md"));
    expect(await straight.isUnchanged(folder)).toBe(false);
    expect(await (await watched()).isUnchanged(folder)).toBe(false);
    rmSync(join(folder, "second.md"));
    // What is hidden is not watched, whether it is there or not.
    symlinkSync(".hidden", join(folder, "shown"));
    expect(await (await watched()).isUnchanged(folder)).toBe(false);
    mkdirSync(join(folder, ".hidden"));
    expect(await (await watched()).isUnchanged(folder)).toBe(false);
  });

  it("is not disturbed by reading, and is sure of no other folder", async () => {
    const watch = await watched();
    await listDocuments(folder);
    expect(await watch.isUnchanged(folder)).toBe(true);
    expect(await watch.isUnchanged(root)).toBe(false);
    watch.close();
    expect(await watch.isUnchanged(folder)).toBe(false);
  });

  it("is not sure where a folder cannot be watched, or the system does not tell of changes", async () => {
    const gone = await watched();
    await gone.add("none");
    expect(await gone.isUnchanged(folder)).toBe(false);
    const untold = await FolderWatch.begin("/proc/self");
    await untold.add("");
    expect(await untold.isUnchanged("/proc/self")).toBe(false);
  });
});
