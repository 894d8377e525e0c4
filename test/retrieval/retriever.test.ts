import { expect, it } from "vitest";
import { search } from "../../src/retrieval/searching/retriever.js";

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
