import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach } from "vitest";

/** Makes a folder of documents, which is empty when a test of the file begins, and names a file for its index. */
export function documentFolder() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "glassloop-documents-")));
  const folder = join(root, "docs");
  beforeEach(() => {
    rmSync(root, { recursive: true });
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => rmSync(root, { recursive: true }));
  return {
    root,
    folder,
    index: join(root, "documents.db"),
    write(path: string, text: string | Buffer = "Rain", below = folder): void {
      mkdirSync(dirname(join(below, path)), { recursive: true });
      writeFileSync(join(below, path), text);
    },
  };
}
