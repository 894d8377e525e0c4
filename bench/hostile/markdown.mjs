// Markdown documents of 2 MB that are made to take long. They are cut, and they are searched.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { cutDocument } from "../../dist/documents/index/passage-cutter.js";
import { documentSearch } from "../../dist/tools/index.js";
import { bestOf } from "./best-of.mjs";

const megabyte = 1_000_000;
const longestBlockMs = 50;

const pieces = [
  "# ",
  "#",
  "###### ",
  " ",
  "   ",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "=",
  "===",
  "-",
  "---",
  "```",
  "~~~",
  "`",
  "* ",
  "> ",
];
pieces.push(
  "|",
  "a",
  "word ",
  ". ",
  "漢",
  "é",
  "’s ",
  "\u2028",
  "\u00a0",
  "\ufdfa",
  "\u0301",
  "[a](b)",
  "<!--",
  "\ud83d\ude00",
);

/** Measures how the time to cut grows from 1 MB to 2 MB, and whether a search of 2 MB stops the event loop. */
export async function markdown(chance, report, count = 200) {
  const folder = mkdtempSync(join(tmpdir(), "glassloop-markdown-"));
  const search = documentSearch({ folder, readingTimeMs: 120_000 });
  const figures = { uneven: 0, longestCut: 0, longestSearch: 0, longestBlock: 0 };
  try {
    await search.invoke({ query: "warm" });
    for (let number = 0; number < count; number += 1) {
      const shape = makeShape(chance);
      const { small, large } = await bestOf(
        () => ({ small: cutTime(shape(megabyte)), large: cutTime(shape(2 * megabyte)) }),
        isUneven,
      );
      if (isUneven({ small, large })) {
        figures.uneven += 1;
        report.note(`not linear: ${JSON.stringify(shape(60))} ${Math.round(small)} ms, ${Math.round(large)} ms`);
      }
      const text = bytesOf(shape(2 * megabyte));
      const { time, block } = await bestOf(() => searchTime(search, folder, text), stops);
      if (stops({ block })) report.note(`blocks ${Math.round(block)} ms: ${JSON.stringify(shape(60))}`);
      figures.longestCut = Math.max(figures.longestCut, large);
      figures.longestSearch = Math.max(figures.longestSearch, time);
      figures.longestBlock = Math.max(figures.longestBlock, block);
    }
  } finally {
    await search.close();
    rmSync(folder, { recursive: true });
  }
  report.figure("shapes whose time is not linear", figures.uneven, 0);
  report.figure("the longest stop of the event loop, in ms", Math.round(figures.longestBlock), longestBlockMs);
  report.figure("the longest cut of 2 MB, in ms", Math.round(figures.longestCut));
  report.figure("the longest search of 2 MB, in ms", Math.round(figures.longestSearch));
}

/** Short times are noise. Three times is more than twice, and less than the four times of a square. */
const isUneven = ({ small, large }) => large > 3 * small + 50;
const stops = ({ block }) => block > longestBlockMs;

/** A shape makes a document of any length: a start, and a part again and again, which may be one character. */
function makeShape({ whole, pick }) {
  const some = (most) => Array.from({ length: 1 + whole(most) }, () => pick(pieces)).join("");
  const [start, part, end] = [
    some(4),
    pick([some(1), some(2), some(6), `${some(3)}${pick(pieces).repeat(250)}\n`]),
    some(3),
  ];
  return (length) => `${start}${part.repeat(Math.ceil(length / part.length))}`.slice(0, length - end.length) + end;
}

/** The first 2 MB of the text, so that the file is not too large to be searched. */
function bytesOf(text) {
  return Buffer.from(text).subarray(0, 2 * megabyte);
}

function cutTime(text) {
  const start = performance.now();
  cutDocument(text, true);
  return performance.now() - start;
}

async function searchTime(search, folder, text) {
  writeFileSync(join(folder, "a.md"), text);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await search.invoke({ query: "zebra" });
  const time = performance.now() - start;
  delay.disable();
  return { time, block: delay.max / 1e6 };
}
