// Glassloop's search and those that it is compared with, all over the same pages. Each search returns the paths of pages, the
// best first. The peers get the passages that Glassloop's search cuts, with the titles of the pages and the headings above them,
// which count twice. Only LangChain's retriever gets chunks of LangChain's own splitter.
import { join } from "node:path";
import { readFrontMatter } from "../../dist/documents/folder/front-matter.js";
import { cutDocument } from "../../dist/documents/index/passage-cutter.js";
import { documents } from "../../dist/documents/index.js";

const most = 40;
const fields = ["title", "headings", "text"];
const boost = { title: 2, headings: 2 };

/** Each makes its index and returns its search. */
export const engines = {
  async glassloop({ folder, scratch }) {
    const docs = documents({ folder, index: join(scratch, "bench.db"), maxResults: most });
    await docs.refresh();
    return async (query) => (await docs.invoke(query)).map(({ metadata }) => metadata.address);
  },

  async "LangChain BM25"({ pages }) {
    const { BM25Retriever } = await import("@langchain/community/retrievers/bm25");
    const { MarkdownTextSplitter } = await import("@langchain/textsplitters");
    const splitter = new MarkdownTextSplitter({ chunkSize: 1000, chunkOverlap: 200 });
    const chunks = await splitter.createDocuments(
      [...pages.values()],
      [...pages.keys()].map((page) => ({ page })),
    );
    const retriever = BM25Retriever.fromDocuments(chunks, { k: most });
    return async (query) => (await retriever.invoke(query)).map(({ metadata }) => metadata.page);
  },

  MiniSearch: (corpus) => miniSearch(corpus, { boost }),

  "MiniSearch, fuzzy": (corpus) => miniSearch(corpus, { boost, fuzzy: 0.2, prefix: true }),

  async Orama({ passages }) {
    const { create, insertMultiple, search } = await import("@orama/orama");
    const database = create({ schema: { page: "string", title: "string", headings: "string", text: "string" } });
    await insertMultiple(
      database,
      passages.map((passage) => ({ ...passage, id: String(passage.id) })),
    );
    return async (term) => {
      const { hits } = await search(database, { term, properties: fields, boost, limit: most });
      return hits.map(({ document }) => document.page);
    };
  },

  async lunr({ passages }) {
    const { default: lunr } = await import("lunr");
    const index = lunr(function () {
      this.ref("id");
      for (const field of fields) this.field(field, { boost: boost[field] ?? 1 });
      for (const passage of passages) this.add(passage);
    });
    const find = (query) => index.query((all) => all.term(lunr.tokenizer(query), {}));
    return async (query) =>
      find(query)
        .slice(0, most)
        .map(({ ref }) => passages[Number(ref)].page);
  },
};

async function miniSearch({ passages }, options) {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch({ fields, storeFields: ["page"] });
  index.addAll(passages);
  return async (query) =>
    index
      .search(query, options)
      .slice(0, most)
      .map(({ page }) => page);
}

/** Cuts pages into the passages that the peers index. */
export function passagesOf(pages) {
  return [...pages]
    .flatMap(([page, text]) => {
      const { title = "" } = readFrontMatter(text);
      return cutDocument(text, true).map((passage) => ({
        page,
        title,
        headings: passage.headings.join("\n"),
        text: passage.text,
      }));
    })
    .map((passage, id) => ({ id, ...passage }));
}
