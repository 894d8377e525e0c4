import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documents } from "../../src/documents/documents.js";
import { isFull } from "../matrix/matrix.js";

const count = isFull ? 100_000 : 12_000;

it(`${count} files are indexed, searched and updated, and none is left out`, async () => {
  const root = await mkdtemp(join(tmpdir(), "glassloop-many-"));
  try {
    const folder = join(root, "docs");
    for (let n = 0; n < count; n++) {
      if (n % 1_000 === 0) mkdirSync(join(folder, String(n / 1_000)), { recursive: true });
      writeFileSync(join(folder, String(Math.floor(n / 1_000)), `${n}.md`), `# Note ${n}\n\nRain fell on day ${n}.`);
    }
    await using docs = documents({ folder, index: join(root, "documents.db") });
    const report = await docs.refresh();
    expect(report).toMatchObject({
      documents: count,
      passages: count,
      notSearched: { skippedCount: 0, unread: 0 },
    });
    expect(report.notSearched.others.hasMore).toBe(false);
    for (const n of [0, 4_321, count - 1]) {
      const [best] = await docs.invoke(`Which note is of day ${n}?`);
      expect(best?.metadata.title).toBe(`Note ${n}`);
    }
    writeFileSync(join(folder, "2", "2777.md"), "A zebra.");
    rmSync(join(folder, "3"), { recursive: true });
    expect((await docs.refresh()).documents).toBe(count - 1_000);
    expect((await docs.invoke("zebra"))[0]?.metadata.address).toBe("2/2777.md");
    expect((await docs.invoke("day 3888"))[0]?.metadata.address).not.toBe("3/3888.md");
  } finally {
    await rm(root, { recursive: true });
  }
});
