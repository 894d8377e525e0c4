import { expect, test } from "vitest";
import { ThreadFileError } from "../../../src/base/errors.js";
import { openThreads } from "../../../src/threads/open.js";
import { readThreadFile } from "../../../src/threads/upkeep/read-thread-file.js";
import { exportedLines, sealed } from "../exported-file.js";
import { at } from "../open-kind.js";
import { question, stepsGraph } from "../steps-graph.js";

async function exported(): Promise<string[]> {
  await using threads = await openThreads("memory:");
  await stepsGraph(threads.checkpointer).invoke({ messages: [question("q")] }, at("t"));
  return await exportedLines(threads);
}

test("a file is read up to its limits, and not beyond", async () => {
  const lines = await exported();
  const limits = {
    lines: lines.length,
    line: Math.max(...lines.map((line) => line.length - 1)),
    file: lines.join("").length,
  };
  expect((await readThreadFile(lines, limits)).parts).toHaveLength(lines.length - 2);
  for (const limit of ["lines", "line", "file"] as const) {
    const smaller = { ...limits, [limit]: limits[limit] - 1 };
    await expect(readThreadFile(lines, smaller)).rejects.toThrow("The file is too large. At most");
  }
});

test("a line without an end is given up at its limit", async () => {
  let read = 0;
  function* pieces() {
    for (;;) {
      read += 1;
      yield "x".repeat(1_000_000);
    }
  }
  await expect(readThreadFile(pieces())).rejects.toThrow(ThreadFileError);
  expect(read).toBeLessThan(102);
});

test("a title is shown in one line, and shortened", async () => {
  const lines = await exported();
  const title = `two\nlines ${"and more ".repeat(100)}`;
  const header = JSON.stringify({
    ...JSON.parse(lines[0] ?? ""),
    thread: { id: "t", createdAt: new Date(0).toISOString(), turns: 1, title },
  });
  const read = await readThreadFile(sealed(lines.with(0, `${header}\n`)));
  expect(read.header.thread.title).toMatch(/^two lines and more .{180,190}…$/);
});
