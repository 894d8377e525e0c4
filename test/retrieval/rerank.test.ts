import { Document, type DocumentInterface } from "@langchain/core/documents";
import { BaseDocumentCompressor } from "@langchain/core/retrievers/document_compressors";
import { FakeVectorStore, SyntheticEmbeddings } from "@langchain/core/utils/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { streamTurn } from "../../src/index.js";
import { allOf } from "../helpers/turn-events.js";
import { type Replies, retrievalOver, retrieverOf } from "./scripted-retrieval.js";

afterEach(() => vi.restoreAllMocks());

const over = (options: Parameters<typeof retrievalOver>[1], replies: Replies = { answer: "Yes [1]." }) =>
  retrievalOver(replies, options);

const passagesOf = (state: { readonly sources: readonly { readonly passage?: string | undefined }[] }) =>
  state.sources.map(({ passage }) => passage);

describe("a list of retrievers", () => {
  const folder = {
    invoke: async () => [new Document({ pageContent: "A", metadata: { source: "a.md", score: 9 } }), b],
  };
  const b = new Document({ pageContent: "B", metadata: { source: "b.md" } });

  it("is searched at once, and joined with a vector store: each passage once, with its metadata", async () => {
    const store = new FakeVectorStore(new SyntheticEmbeddings({ vectorSize: 16 }));
    const page = { pageContent: "C", metadata: { source: "c.pdf", loc: { pageNumber: 3 } } };
    await store.addDocuments([b, page]);
    const { agent } = over({ retriever: [folder, store.asRetriever()] });
    const events = await allOf(streamTurn(agent, { messages: "Who?" }));
    const searches = events.filter(({ type }) => type === "search");
    expect(searches).toMatchObject(["documents 1", "documents 2"].map((retriever) => ({ retriever, found: 2 })));
    const { sources } = await agent.invoke({ messages: "Who?" });
    expect(sources[0]).toMatchObject({ address: "b.md" });
    expect(sources.slice(1)).toEqual([
      { title: "a.md", address: "a.md", passage: "A", score: 9 },
      { title: "c.pdf", address: "c.pdf", passage: "C", metadata: { loc: { pageNumber: 3 } } },
    ]);
  });

  it("goes on if one of them fails or finds nothing, and an event has the error", async () => {
    const broken = { invoke: () => Promise.reject(new Error("no route to host")) };
    const { agent } = over({ retriever: [broken, retrieverOf(() => []).retriever, folder] });
    const state = await agent.invoke({ messages: "Who?" });
    expect(passagesOf(state)).toEqual(["A", "B"]);
    expect(state).toMatchObject({ answer: "Yes [1].", stopReason: "answered" });
    expect(state.retrieval?.searched.map(({ error }) => error)).toEqual(["no route to host", undefined, undefined]);
  });

  it("says of each what it did not search, once", async () => {
    const told = ["Not a.", "Not b.", "Not a."].map((notSearched) => ({
      invoke: async () => Object.assign<Document[], object>([], { notSearched }),
    }));
    const { agent } = over({ retriever: told }, { notFound: "" });
    expect((await agent.invoke({ messages: "Who?" })).answer).toMatch(/"\)\. Not a\. Not b\.$/);
  });
});

describe("a reranker", () => {
  /** Writes a score into each document, as rerankers of LangChain do, and returns the best `topN`. */
  class Reranker extends BaseDocumentCompressor {
    readonly queries: string[] = [];

    constructor(
      private readonly scoreOf: (text: string) => number | Promise<number>,
      private readonly topN = 9,
    ) {
      super();
    }

    override async compressDocuments(documents: DocumentInterface[], query: string): Promise<DocumentInterface[]> {
      this.queries.push(query);
      for (const one of documents) one.metadata.relevanceScore = await this.scoreOf(one.pageContent);
      const ranked = documents.sort((one, other) => other.metadata.relevanceScore - one.metadata.relevanceScore);
      return ranked.slice(0, this.topN);
    }
  }
  const words = (word: string) => ({
    invoke: async () =>
      [1, 2, 3].map((n) => {
        const pageContent = `${word} ${n}.`;
        return new Document({ id: `${word}${n}`, pageContent, metadata: { source: "x.md", score: 20 - n, tags: [n] } });
      }),
  });
  const retriever = [words("Ann"), words("Bob")];
  const bobFirst = (text: string) => Number(text.replace(/\D/g, "")) / 10 + (text.startsWith("Bob") ? 0.5 : 0);

  it("orders what all retrievers and queries found, before the best are taken, and sources keep what they say", async () => {
    const rerank = new Reranker(bobFirst);
    const { agent } = over({ retriever, rerank, translate: () => ["And Bob?"], limits: { maxPassages: 2 } });
    const state = await agent.invoke({ messages: "Who?" });
    expect(rerank.queries).toEqual(["Who?"]);
    const place = { title: "x.md", address: "x.md" };
    expect(state.sources).toEqual([
      { ...place, passage: "Bob 3.", score: 0.8, metadata: { id: "Bob3", tags: [3] } },
      { ...place, passage: "Bob 2.", score: 0.7, metadata: { id: "Bob2", tags: [2] } },
    ]);
    const events = await allOf(streamTurn(agent, { messages: "Who?" }));
    expect(events.find(({ type }) => type === "rerank")).toMatchObject({ kept: 6, dropped: 0 });
  });

  it("may leave passages out, and minScore is compared with its scores", async () => {
    const { agent } = over({ retriever, rerank: new Reranker(bobFirst, 5), limits: { minScore: 0.65 } });
    const events = await allOf(streamTurn(agent, { messages: "Who?" }));
    expect(events.find(({ type }) => type === "rerank")).toMatchObject({ kept: 2, dropped: 4 });
    const none = over({ retriever, rerank: { compressDocuments: async () => [] } }, { notFound: "" });
    expect(await none.agent.invoke({ messages: "Who?" })).toMatchObject({ stopReason: "not-found", sources: [] });
  });

  it.each([
    ["fails", new Reranker(() => Promise.reject(new Error("401: no such key"))), "401: no such key"],
    ["never answers", new Reranker(() => new Promise<never>(() => undefined)), "did not return within 50 ms"],
    ["returns no documents", { compressDocuments: async () => [{}] as Document[] }, "no list of"],
  ])("that %s leaves the order, and an event says so", async (_, rerank, error) => {
    const { agent } = over({ retriever, rerank, limits: { searchTimeoutMs: 50, minScore: 100 } });
    const events = await allOf(streamTurn(agent, { messages: "Who?" }));
    const told = { kept: 6, dropped: 0, error: expect.stringContaining(error) };
    expect(events.find(({ type }) => type === "rerank")).toMatchObject(told);
    const state = await agent.invoke({ messages: "Who?" });
    expect(passagesOf(state)).toEqual(["Ann 1.", "Bob 1.", "Ann 2.", "Bob 2.", "Ann 3.", "Bob 3."]);
    expect(state.sources[0]).toMatchObject({ score: 19, metadata: { id: "Ann1", tags: [1] } });
  });

  it.each([
    ["relevanceScore", [0.2, undefined, 0.9], [undefined, 0.9]],
    ["score", [0.2, 0.8, undefined], [0.8, undefined]],
    ["none", [], [undefined, undefined, undefined]],
  ])("gives the only scores, in %s, and minScore keeps passages without one", async (name, given, scores) => {
    const compressDocuments = async (found: DocumentInterface[]) =>
      found.slice(0, 3).map((one, n) => {
        const score = given[n];
        return { pageContent: `Short ${n}.`, metadata: { ...one.metadata, ...(score && { [name]: score }) } };
      });
    const { agent } = over({ retriever, rerank: { compressDocuments }, limits: { minScore: 0.5 } });
    expect((await agent.invoke({ messages: "Who?" })).sources.map(({ score }) => score)).toEqual(scores);
  });

  it("that returns a passage several times, or parts of it, has each of them counted once", async () => {
    const parts = (found: DocumentInterface[]) =>
      found.flatMap((one) => ["a", "b"].map((part) => ({ ...one, pageContent: `${one.pageContent} ${part}` })));
    for (const [changed, kept] of [[(found: DocumentInterface[]) => found, 6] as const, [parts, 12] as const]) {
      const rerank = {
        compressDocuments: async (found: DocumentInterface[]) => [...changed(found), ...changed(found)],
      };
      const { agent } = over({ retriever, rerank });
      const events = await allOf(streamTurn(agent, { messages: "Who?" }));
      expect(events.find(({ type }) => type === "rerank")).toMatchObject({ kept, dropped: 0 });
      const passages = passagesOf(await agent.invoke({ messages: "Who?" }));
      expect(new Set(passages).size).toBe(6);
    }
  });

  it("is given documents as their retriever gave them, with their address, title and heading", async () => {
    const given: DocumentInterface[] = [];
    const own = { loc: { pageNumber: 3 }, tags: ["x"], heading: "B" };
    const metadata = { source: "a.md", title: "A", score: 3, ...own };
    const one = {
      invoke: async () => [
        { id: "1", pageContent: "A", metadata },
        { pageContent: "B", metadata: {} },
      ],
    };
    const rerank = {
      compressDocuments: async (found: DocumentInterface[]) => {
        given.push(...found);
        return found;
      },
    };
    const { agent } = over({ retriever: one, rerank });
    const { sources } = await agent.invoke({ messages: "Who?" });
    expect(given[0]).toEqual({ id: "1", pageContent: "A", metadata: { ...metadata, address: "a.md" } });
    expect(sources[0]).toEqual({
      ...{ title: "A", address: "a.md", heading: "B", passage: "A" },
      metadata: { id: "1", loc: { pageNumber: 3 }, tags: ["x"] },
    });
  });

  it("leaves the turn half of its time for the answer", async () => {
    const timers = vi.spyOn(globalThis, "setTimeout");
    const rerank = new Reranker(() => Number(timers.mock.lastCall?.[1]));
    const hour = 3_600_000;
    const { agent } = over({ retriever, rerank, limits: { maxTurnMs: hour, searchTimeoutMs: hour } });
    const [{ score = 0 } = {}] = (await agent.invoke({ messages: "Who?" })).sources;
    expect(score).toBeGreaterThan(hour / 4);
    expect(score).toBeLessThanOrEqual(hour / 2);
  });

  it("is not asked about nothing", async () => {
    const rerank = new Reranker(() => 1);
    const { agent } = over({ retriever: retrieverOf(() => []).retriever, rerank }, { notFound: "" });
    await agent.invoke({ messages: "Who?" });
    expect(rerank.queries).toEqual([]);
  });

  it.each(["reranker", "retriever"])(
    "or a retriever that hangs ends with the run, and leaves no timer: %s",
    async (who) => {
      const stop = new AbortController();
      const hang = () => {
        stop.abort();
        return new Promise<never>(() => undefined);
      };
      const [made, ended] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
      const options = who === "reranker" ? { retriever, rerank: new Reranker(hang) } : { retriever: { invoke: hang } };
      const { agent } = over({ ...options, limits: { searchTimeoutMs: 123_456 } });
      await expect(agent.invoke({ messages: "Who?" }, { signal: stop.signal })).rejects.toThrow(/abort/i);
      await new Promise(setImmediate);
      const last = made.mock.calls.findLastIndex(([, time]) => time === 123_456);
      expect(ended.mock.calls).toContainEqual([made.mock.results[last]?.value]);
    },
  );
});
