// Measures the retriever and the retrieval agent. bench/README.md describes it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadEmbeddings } from "../dist/model/index.js";
import { installPeers } from "./install-peers.mjs";
import { drawCorpus } from "./retrieval/corpus.mjs";
import { measureGrowth } from "./retrieval/growth.mjs";
import { measureRecall } from "./retrieval/recall.mjs";

const { values: given } = parseArgs({
  options: {
    part: { type: "string", default: "recall,flows" },
    seed: { type: "string", default: "15" },
    embeddings: { type: "string" },
    corpus: { type: "string" },
    documents: { type: "string" },
    questions: { type: "string" },
    sizes: { type: "string", default: "1000,10000,100000" },
  },
});
const parts = given.part.split(",");
const made = mkdtempSync(join(tmpdir(), "glassloop-retrieval-"));
try {
  if (given.corpus) await compare(given.corpus);
  else await measure();
} finally {
  rmSync(made, { recursive: true });
}

async function measure() {
  const corpus = given.documents ? readCorpus() : writeCorpus();
  const gold = corpus.questions.filter(({ path }) => path !== undefined);
  console.log(`${corpus.questions.length} questions, of which ${gold.length} have an answer`);
  if (parts.includes("recall")) await recall({ ...corpus, questions: gold });
  if (parts.includes("flows")) await flows(corpus);
  if (parts.includes("growth")) table((await measureGrowth(given.sizes.split(",").map(Number))).map(grown));
}

async function compare(folder) {
  installPeers();
  const { compareEngines } = await import("./retrieval/compare.mjs");
  const { pages, cells, times } = await compareEngines(folder, made);
  console.log(`${pages} pages`);
  table(
    cells.map(({ kind, questions, engine, recall, mrr, none, byRecall, byMrr }) => {
      const figures = { "R@5": recall.toFixed(3), MRR: mrr.toFixed(3), "no result": none };
      return { kind, questions, engine, ...figures, "ours by R@5": byRecall, "by MRR": byMrr };
    }),
  );
  table(
    times.map(({ engine, search, build }) => ({
      engine,
      search: `${search.toFixed(2)} x`,
      build: `${build.toFixed(2)} x`,
    })),
  );
}

async function recall(corpus) {
  const embeddings = given.embeddings && (await loadEmbeddings(given.embeddings));
  const rows = await measureRecall(corpus, embeddings || undefined);
  table(rows.map(({ way, recall, mrr }) => ({ way, "recall@5": recall.toFixed(3), MRR: mrr.toFixed(3) })));
}

async function flows(corpus) {
  installPeers();
  const { measureConversations, measureFlows } = await import("./retrieval/flows.mjs");
  for (const isEager of [false, true]) {
    console.log(`\nA model that ${isEager ? "always gives an answer" : "says when it does not know"}:`);
    table([...(await measureFlows(corpus, isEager)), ...(await measureConversations(corpus, isEager))].map(shown));
  }
}

function shown({ flow, right, wrong, notFound, honest, invented, calls, tokens }) {
  const answered = { right, wrong, "not found": notFound, "honest of unanswerable": honest, invented };
  return { flow, ...answered, "calls a question": calls.toFixed(2), "tokens a question": tokens };
}

function grown({ passages, way, seconds, megabytes, median, p95 }) {
  const [built, file] = [`${seconds.toFixed(1)} s`, `${megabytes.toFixed(1)} MB`];
  return { passages, by: way, built, file, median: `${median.toFixed(1)} ms`, "95 %": `${p95.toFixed(1)} ms` };
}

function writeCorpus() {
  const { documents, questions } = drawCorpus({ seed: Number(given.seed) });
  const folder = join(made, "documents");
  mkdirSync(folder);
  for (const { path, text } of documents) writeFileSync(join(folder, path), text);
  console.log(`${documents.length} documents of seed ${given.seed}`);
  return { folder, questions };
}

/** Reads questions of yours: lines of JSON with `question`, and `path` and `sentence` of what answers it. */
function readCorpus() {
  if (parts.includes("flows")) throw new Error("--part flows needs the documents of the bench; give --part recall.");
  const lines = readFileSync(given.questions, "utf8").trim().split("\n");
  return { folder: given.documents, questions: lines.map((line) => JSON.parse(line)) };
}

function table(rows) {
  const names = Object.keys(rows[0]);
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name])))];
  const widths = names.map((_, n) => Math.max(...cells.map((row) => row[n].length)));
  for (const row of cells)
    console.log(row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join("  "));
}
