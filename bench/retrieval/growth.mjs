// How the index of documents grows: the time to build it, its size, and the time of a search. bench/README.md describes it.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documents } from "../../dist/documents/index.js";
import { generator } from "../hostile/generator.mjs";

const dimensions = 384;
const searches = 200;
const passagesInFile = 100;

/**
 * Measures indexes of these numbers of passages: one of words alone, and one with vectors, too.
 *
 * @returns For each way to search: the passages, the seconds to build the index, its megabytes, and milliseconds of searches.
 */
export async function measureGrowth(sizes, seed = 1) {
  const rows = [];
  for (const passages of sizes) {
    const folder = mkdtempSync(join(tmpdir(), "glassloop-growth-"));
    try {
      const words = vocabulary(generator(seed));
      writeFiles(folder, passages, words);
      const hasWords = (n) => `Which ${words.common(n)} has a ${words.rare(n)} and the ${words.common(n + 7)}?`;
      // Words that only ask are not looked for, so that vectors alone are.
      const hasNone = (n) => ["who is it", "where are they", "how did you do this"][n % 3];
      rows.push(...(await measure({ folder, passages }, undefined, { words: hasWords })));
      rows.push(...(await measure({ folder, passages }, hashedWords(), { vectors: hasNone, both: hasWords })));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return rows;
}

async function measure({ folder, passages }, embeddings, ways) {
  const index = join(folder, ".index", embeddings ? "vectors.db" : "words.db");
  const docs = documents({ folder, index, embeddings });
  const start = performance.now();
  await docs.refresh();
  const seconds = (performance.now() - start) / 1000;
  const rows = [];
  for (const [way, question] of Object.entries(ways)) {
    const times = [];
    for (let n = 0; n < searches; n++) {
      const before = performance.now();
      await docs.invoke(question(n));
      times.push(performance.now() - before);
    }
    times.sort((one, other) => one - other);
    rows.push({ passages, way, seconds, median: times[searches / 2], p95: times[Math.floor(searches * 0.95)] });
  }
  await docs.close();
  const megabytes = statSync(index).size / 1e6;
  return rows.map((row) => ({ ...row, megabytes }));
}

/** Words as in a language: few are common, and many are rare. */
function vocabulary(random) {
  const all = Array.from({ length: 20_000 }, () =>
    Array.from(
      { length: 2 + random.whole(3) },
      () => `${random.pick([..."bdfgklmnprstvz"])}${random.pick([..."aeiou"])}`,
    ).join(""),
  );
  return {
    draw: () => all[Math.floor(all.length ** random.number()) - 1],
    common: (n) => all[20 + (n % 200)],
    rare: (n) => all[2_000 + n * 53],
  };
}

function writeFiles(folder, passages, words) {
  for (let n = 0; n < passages; n += passagesInFile) {
    const sections = Array.from({ length: Math.min(passagesInFile, passages - n) }, () => {
      const heading = `## ${words.draw()} ${words.draw()}`;
      return `${heading}\n\n${Array.from({ length: 80 }, () => words.draw()).join(" ")}.`;
    });
    const path = join(folder, `${(n / 10_000) | 0}`, `${n}.md`);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, `# ${words.draw()}\n\n${sections.join("\n\n")}\n`);
  }
}

/** Vectors that are drawn from words. They cost little time, and texts with the same words are near each other. */
function hashedWords() {
  const known = new Map();
  const ofWord = (word) => {
    if (!known.has(word)) {
      const random = generator([...word].reduce((sum, sign) => (sum * 31 + sign.codePointAt(0)) >>> 0, 7));
      known.set(
        word,
        Float32Array.from({ length: dimensions }, () => random.number() - 0.5),
      );
    }
    return known.get(word);
  };
  const embed = (text) => {
    const sum = new Float32Array(dimensions);
    for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
      const vector = ofWord(word);
      for (let at = 0; at < dimensions; at++) sum[at] += vector[at];
    }
    return [...sum];
  };
  return {
    model: "hashed-words",
    embedQuery: async (text) => embed(text),
    embedDocuments: async (texts) => texts.map(embed),
  };
}
