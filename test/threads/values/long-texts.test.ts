import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, test } from "vitest";
import { LONG_TEXT } from "../../../src/base/plain-data.js";
import { readVersion, toChannelVersion } from "../../../src/threads/values/decode.js";
import { encodeValue } from "../../../src/threads/values/encode.js";
import { itemsOf, LongTexts } from "../../../src/threads/values/long-texts.js";
import { deserialize, serialize, type ValueText } from "../../../src/threads/values/serialize.js";
import { hashesOf, parseStoredValue } from "../../../src/threads/values/stored-form.js";
import { expectSameData } from "../hostile-data.js";

const long = `"quoted", \n\0 and \ud800 ${"x".repeat(LONG_TEXT)}`;

function written(value: unknown): ValueText {
  return serialize(value, new LongTexts().nameOf);
}

describe("a long text inside a value is stored apart, and comes back", () => {
  test.each<[string, unknown]>([
    ["a text alone", long],
    ["a property", { asked: long, number: 1 }],
    ["a block of a message", new HumanMessage({ content: [{ type: "text", text: long }], id: "1" })],
    [
      "an argument",
      new AIMessage({ content: "", tool_calls: [{ id: "1", name: "save", args: { data: { deep: [long] } } }] }),
    ],
    ["a document", new Document({ pageContent: long, metadata: { long } })],
    ["a map, as key and value", new Map([[long, long]])],
    ["data that looks like a mark", { lc: 1, type: "constructor", id: [long] }],
    ["the text in the data of a mark", { lc: 4, type: "text", name: long }],
  ])("%s", (_name, value) => {
    const text = written(value);
    expect(text.content.length).toBeLessThan(1000);
    expect([...(text.texts?.values() ?? [])]).toEqual([long]);
    expect(deserialize(text)).toEqual(value);
  });
});

test("a text is stored apart from a certain length on", () => {
  expect(itemsOf(written({ a: "x".repeat(LONG_TEXT - 1) }))).toHaveLength(1);
  expect(itemsOf(written({ a: "x".repeat(LONG_TEXT) }))).toHaveLength(2);
  expect(serialize({ a: long }).content).toBe(JSON.stringify({ a: long }));
});

test("a value names all items that it needs, also those of its long lists", () => {
  const texts = new LongTexts();
  const value = { note: long, notes: Array.from({ length: 9 }, (_, index) => ({ index, text: `${index} ${long}` })) };
  for (const written of [value, value.notes, value.note]) {
    const { body, items } = encodeValue(written, texts);
    const stored = parseStoredValue(body);
    expect(new Set(hashesOf(stored))).toEqual(new Set(items.map(({ hash }) => hash)));
    const byHash = new Map(items.map((item) => [item.hash, { type: item.type, content: item.content }]));
    expect(readVersion(toChannelVersion(stored, { items: byHash, texts: new LongTexts() }))).toEqual(written);
    expect(body.length).toBeLessThan(1000);
  }
});

test("equal texts have one item, whatever values hold them", () => {
  const texts = new LongTexts();
  const values = [long, { long, again: long }, new HumanMessage(`${long.slice(0, -1)}x`)];
  const items = values.map((value) => itemsOf(serialize(value, texts.nameOf))[1]);
  expect(new Set(items.map((item) => item?.hash)).size).toBe(1);
  expect(items[0]?.content).toBe(JSON.stringify(long));
  expect(texts.size).toBe(long.length);
});

test("data that looks like a reference to a long text stays data", () => {
  const name = new LongTexts().nameOf(long);
  const data = { lc: 4, type: "text", name };
  for (const value of [data, { data }, [[data]], { lc: 1, data }, { __lc_escaped__: data }]) {
    expectSameData(deserialize(written([value, long])), [value, long], JSON.stringify(value));
  }
  expectSameData(deserialize({ type: "json", content: JSON.stringify(data) }), data, "in a row without a long text");
});
