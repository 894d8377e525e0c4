// Compares the search with other libraries on a folder of Markdown. bench/README.md describes it.
import { generator } from "../hostile/generator.mjs";
import { engines, passagesOf } from "./engines.mjs";
import { linkQuestions, readPages } from "./link-questions.mjs";

const shown = 5;
const ranked = 10;
const samples = 2_000;

/**
 * Asks each engine the questions that a folder asks of itself.
 *
 * @param scratch A folder for the index.
 * @returns `cells`: for each kind of question and each engine the share of answers among the first 5 pages, the mean of 1/place,
 *   questions without a result, and how Glassloop stands to it ("better", "worse" or "equal" by a paired bootstrap, 95 %).
 *   `times`: the milliseconds of a search and of making the index, as multiples of those of Glassloop.
 */
export async function compareEngines(folder, scratch) {
  const pages = readPages(folder);
  const questions = linkQuestions(pages);
  const corpus = { folder, scratch, pages, passages: passagesOf(pages) };
  const runs = [];
  for (const [engine, make] of Object.entries(engines)) runs.push({ engine, ...(await run(make, corpus, questions)) });
  const [ours] = runs;
  const cells = Object.keys(questions)
    .filter((kind) => questions[kind].length > 0)
    .flatMap((kind) => runs.map(({ engine, places }) => cellOf(kind, engine, places[kind], ours.places[kind])));
  const times = runs.map(({ engine, search, build }) => ({
    engine,
    search: search / ours.search,
    build: build / ours.build,
  }));
  return { pages: pages.size, cells, times };
}

async function run(make, corpus, questions) {
  const start = performance.now();
  const find = await make(corpus);
  const build = performance.now() - start;
  const places = {};
  for (const [kind, list] of Object.entries(questions)) {
    places[kind] = [];
    for (const { question, from, to } of list) {
      const found = [...new Set(await find(question))].filter((page) => page !== from);
      places[kind].push({ at: found.indexOf(to), count: found.length });
    }
  }
  const count = Object.values(questions).flat().length;
  return { places, build, search: (performance.now() - start - build) / count };
}

function cellOf(kind, engine, places, ours) {
  const hits = places.map(hit);
  const gains = places.map(gain);
  return {
    kind,
    questions: places.length,
    engine,
    recall: mean(hits),
    mrr: mean(gains),
    none: places.filter(({ count }) => count === 0).length,
    byRecall: compared(ours.map(hit), hits),
    byMrr: compared(ours.map(gain), gains),
  };
}

const hit = ({ at }) => (at >= 0 && at < shown ? 1 : 0);
const gain = ({ at }) => (at >= 0 && at < ranked ? 1 / (at + 1) : 0);

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** Tells how the first list stands to the second, of the same questions, by draws from their differences. */
function compared(ours, theirs) {
  const random = generator(1);
  const differences = ours.map((value, at) => value - theirs[at]);
  const means = Array.from({ length: samples }, () => mean(differences.map(() => random.pick(differences))));
  means.sort((one, other) => one - other);
  if (means[Math.floor(samples * 0.975)] < 0) return "worse";
  return means[Math.floor(samples * 0.025)] > 0 ? "better" : "equal";
}
