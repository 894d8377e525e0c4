import { readFile } from "node:fs/promises";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import { fromJson, objectFromJson } from "../../../src/threads/values/from-json.js";
import { revivable } from "../../../src/threads/values/revivable.js";
import { deserialize, serialize } from "../../../src/threads/values/serialize.js";
import { toJson } from "../../../src/threads/values/to-json.js";
import { expectSameData, hostileData } from "../hostile-data.js";

describe("comes back with its type", () => {
  test.each<[string, unknown]>([
    ["a set", new Set([1, { a: new Set() }])],
    [
      "a map",
      new Map<unknown, unknown>([
        ["a", 1],
        [{ b: 2 }, new Map()],
      ]),
    ],
    ["an error", new Error("no")],
    ["undefined", { a: undefined, b: [undefined] }],
    ["bytes", new Uint8Array([0, 255, 7])],
    ["bytes in an object", { bytes: new Uint8Array([0, 255, 7]) }],
    ["a regular expression", [/a+/gi]],
    ["a document", [new Document({ pageContent: "text", metadata: { at: new Set([1]) }, id: "d" })]],
    ["a snapshot of LangGraph", new DeltaSnapshot([new HumanMessage("hello")])],
    ["messages in data", { list: [new HumanMessage("hello")], map: new Map([["m", new AIMessage("hello")]]) }],
    ["data with the key of LangChain's wrapper", { __lc_escaped__: { a: 1 } }],
    ["that key beside a mark", [{ __lc_escaped__: { a: 1 } }, new Set()]],
    [
      "data with the key of our own wrapper",
      { lc: 3, type: "data", value: { lc: 3, type: "data", value: [new Set()] } },
    ],
    ["data that looks like a mark and holds values", { lc: 2, type: "undefined", map: new Map([["lc", { lc: 1 }]]) }],
    [
      "a message with values in its artifact",
      artifactOf({ map: new Map([["a", new Error("no")]]), nothing: undefined }),
    ],
  ])("%s", (_name, value) => {
    const read = deserialize(serialize(value));
    expect(read).toEqual(value);
    expect(toJson(read)).toBe(toJson(value));
  });
});

function artifactOf(artifact: unknown) {
  return new ToolMessage({ tool_call_id: "1", content: "seen", artifact });
}

describe("stays plain data:", () => {
  test.each(Object.entries(hostileData))("%s", (_name, data) => {
    const message = new AIMessage({
      content: "",
      tool_calls: [{ id: "1", name: "look", args: { data }, type: "tool_call" }],
      additional_kwargs: { data },
      response_metadata: { data },
    });
    const places: Record<string, [unknown, (value: unknown) => unknown]> = {
      itself: [data, (value) => value],
      "in a list": [[data], (value) => at(value, 0)],
      "in a map": [new Map([["key", data]]), inMap],
      "as a key": [new Map([[data, 1]]), (value) => (value instanceof Map ? [...value.keys()][0] : undefined)],
      "in a set": [new Set([data]), (value) => (value instanceof Set ? [...value][0] : undefined)],
      "in data that looks marked": [{ lc: 1, data }, (value) => at(value, "data")],
      "in LangChain's wrapper": [{ __lc_escaped__: data }, (value) => at(value, "__lc_escaped__")],
      "in arguments": [message, (value) => at(at(at(at(value, "tool_calls"), 0), "args"), "data")],
      "in a provider's fields": [message, (value) => at(at(value, "additional_kwargs"), "data")],
      "in a provider's answer": [message, (value) => at(at(value, "response_metadata"), "data")],
      "in an artifact": [artifactOf(data), (value) => at(value, "artifact")],
      "in an artifact's map": [artifactOf(new Map([[1, data]])), (value) => inMap(at(value, "artifact"))],
      "in a document": [
        new Document({ pageContent: "", metadata: { data } }),
        (value) => at(at(value, "metadata"), "data"),
      ],
    };
    for (const [place, [value, find]] of Object.entries(places))
      expectSameData(find(fromJson(toJson(value))), data, place);
    expectSameData(objectFromJson(toJson({ ...data, list: 1 })), { ...data, list: 1 }, "an object with a list");
  });
});

function at(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function inMap(value: unknown): unknown {
  return value instanceof Map ? [...value.values()][0] : undefined;
}

describe("a row that another program wrote", () => {
  const theirs = JSON.stringify;

  test("has messages and LangGraph's values in it", () => {
    const row = {
      list: [new HumanMessage({ content: "hello", id: "1" })],
      set: { lc: 2, type: "constructor", id: ["Set"], args: [[1]] },
    };
    expect(fromJson(theirs(row))).toEqual({
      list: [new HumanMessage({ content: "hello", id: "1" })],
      set: new Set([1]),
    });
  });

  const alive = [
    "a message",
    "a document",
    "bytes",
    "a set",
    "an expression",
    "undefined",
    "a snapshot",
    "our own wrapper",
    "LangChain's",
  ];

  test.each(Object.entries(hostileData).filter(([name]) => !alive.some((start) => name.startsWith(start))))(
    "stays plain data: %s",
    (name, data) => {
      expectSameData(fromJson(theirs({ data })), { data }, name);
    },
  );

  test("contains only classes of the list, and no secret", () => {
    process.env.OPENAI_API_KEY ??= "sk-secret";
    expect(JSON.stringify(fromJson(theirs(Object.values(hostileData))))).not.toContain(process.env.OPENAI_API_KEY);
    expect(fromJson(theirs(hostileData["a message with a secret"]))).toEqual(hostileData["a message with a secret"]);
  });

  test("keeps an object with long lists as an object, whatever its keys say", () => {
    expectSameData(objectFromJson(theirs(hostileData["a message"])), hostileData["a message"], "an object");
  });
});

test("the types that come back are documented", async () => {
  const page = await readFile("docs/threads.md", "utf8");
  for (const name of revivable.keys()) expect(page).toContain(`\`${name.split(".").at(-1)}\``);
});
