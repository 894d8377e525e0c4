// How well the retriever finds the passage that answers a question.
import { join } from "node:path";
import { documents } from "../../dist/documents/index.js";
import { lettersEmbedding, likeness } from "./embedding.mjs";

const most = 5;

/**
 * Measures ways of search.
 *
 * @param corpus.folder The folder of the documents.
 * @param corpus.questions Questions with the `path` of the document and the `sentence` that answer them.
 * @param embeddings An embedding model of LangChain.
 * @returns For each way the share of questions whose sentence is among the first 5 passages, and the mean of 1/place.
 */
export async function measureRecall({ folder, questions }, embeddings = lettersEmbedding) {
  const ways = {
    "words (BM25)": {},
    "words and vectors": { embeddings },
  };
  const rows = [{ way: "vectors alone", ...score(questions, await vectorsAlone(folder, embeddings, questions)) }];
  for (const [way, options] of Object.entries(ways)) {
    const index = join(folder, `.${way.replaceAll(/\W/g, "")}.db`);
    const retriever = documents({ folder, index, maxResults: most, ...options });
    await retriever.refresh();
    const found = [];
    for (const { question } of questions) {
      const passages = await retriever.invoke(question);
      found.push(passages.map(({ pageContent, metadata }) => ({ path: metadata.address, text: pageContent })));
    }
    await retriever.close();
    rows.push({ way, ...score(questions, found) });
  }
  return rows;
}

function score(questions, found) {
  const ranks = questions.map(({ path, sentence }, n) =>
    found[n].findIndex((passage) => passage.path === path && passage.text.includes(sentence)),
  );
  const hits = ranks.filter((rank) => rank >= 0);
  const mrr = hits.reduce((sum, rank) => sum + 1 / (rank + 1), 0) / questions.length;
  return { recall: hits.length / questions.length, mrr };
}

/** Compares each question with each section of each document. */
async function vectorsAlone(folder, embeddings, questions) {
  const all = documents({ folder, maxResults: 50 });
  const sections = new Map();
  for (const { question } of questions) {
    for (const { pageContent, metadata } of await all.invoke(question)) {
      sections.set(metadata.address + pageContent, { path: metadata.address, text: pageContent });
    }
  }
  await all.close();
  const texts = [...sections.values()];
  const vectors = await embeddings.embedDocuments(texts.map(({ text }) => text));
  return Promise.all(
    questions.map(async ({ question }) => {
      const asked = await embeddings.embedQuery(question);
      const ranked = vectors.map((vector, n) => [likeness(asked, vector), texts[n]]).sort(([a], [b]) => b - a);
      return ranked.slice(0, most).map(([, section]) => section);
    }),
  );
}
