import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { RunnableConfig } from "@langchain/core/runnables";
import { expect, it } from "vitest";
import { documents } from "../../src/index.js";
import { search } from "../../src/retrieval/searching/retriever.js";

it("a folder is searched by retrievers of LangChain that give it callbacks in the place of a config", async () => {
  await using folder = documents({ folder: "knowledge" });
  const started: string[] = [];
  const callbacks = CallbackManager.fromHandlers({
    handleRetrieverStart: async (_, query) => void started.push(query),
  });
  const found = await folder.invoke("Rubik", callbacks as RunnableConfig);
  expect(found.length).toBeGreaterThan(0);
  expect(started).toEqual(["Rubik"]);
});

it("a passage keeps what its document says beside the fields of a source, if it is data", async () => {
  const pageContent = "Cats purr.";
  const loc = { pageNumber: 3, lines: { from: 1, to: 9 } };
  const found = [
    { pageContent, id: "d1", metadata: { source: "cats.pdf", score: 0.5, loc, tags: ["a"], read: new Date(0) } },
    { pageContent, metadata: { source: "cats.pdf", url: "https://cats.example" } },
    { pageContent, metadata: { title: "Cats" } },
  ];
  const { passages } = await search({ invoke: async () => found }, "cats", {});
  const place = { title: "cats.pdf", address: "cats.pdf", passage: pageContent };
  expect(passages).toEqual([
    { ...place, score: 0.5, metadata: { id: "d1", loc, tags: ["a"] } },
    { ...place, metadata: { url: "https://cats.example" } },
    { title: "Cats", address: "", passage: pageContent },
  ]);
});
