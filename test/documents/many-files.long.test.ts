import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documents } from "../../src/documents/documents.js";
import { isFull } from "../matrix/matrix.js";
import { documentFolder } from "./document-folder.js";

const { folder, index, write } = documentFolder();
const count = isFull ? 100_000 : 5_000;

it(`${count} files are indexed, searched and updated, and none is left out`, async () => {
  for (let n = 0; n < count; n++) write(`${Math.floor(n / 1_000)}/${n}.md`, `# Note ${n}\n\nRain fell on day ${n}.`);
  await using docs = documents({ folder, index });
  expect(await docs.refresh()).toMatchObject({
    documents: count,
    passages: count,
    notSearched: { skippedCount: 0, unread: 0, others: { hasMore: false } },
  });
  for (const n of [0, 4_321, count - 1]) {
    const [best] = await docs.invoke(`Which note is of day ${n}?`);
    expect(best?.metadata.title).toBe(`Note ${n}`);
  }
  write("2/2777.md", "A zebra.");
  rmSync(join(folder, "3"), { recursive: true });
  expect((await docs.refresh()).documents).toBe(count - 1_000);
  expect((await docs.invoke("zebra"))[0]?.metadata.address).toBe("2/2777.md");
  expect((await docs.invoke("day 3888"))[0]?.metadata.address).not.toBe("3/3888.md");
});
