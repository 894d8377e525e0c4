import { expect, test } from "vitest";
import type { ChannelVersion } from "../../../src/threads/values/cache.js";
import { readVersion, toChannelVersion } from "../../../src/threads/values/decode.js";
import { encodeValue } from "../../../src/threads/values/encode.js";
import { LongTexts } from "../../../src/threads/values/long-texts.js";
import { parseStoredValue } from "../../../src/threads/values/stored-form.js";

interface Version {
  readonly value: unknown;
  readonly body: string;
  readonly based: boolean;
}

/** Writes values, each based on the one before. */
function write(values: readonly unknown[]): Version[] {
  const texts = new LongTexts();
  let base: ChannelVersion | undefined;
  return values.map((value) => {
    const { body, based, version } = encodeValue(value, texts, base);
    base = version;
    return { value, body, based };
  });
}

/** Returns the rows that a version is read from, the oldest first. */
function rowsOf(versions: readonly Version[], index: number): Version[] {
  const first = versions.slice(0, index + 1).findLastIndex(({ based }) => !based);
  return versions.slice(first, index + 1);
}

function read(rows: readonly Version[]): unknown {
  const items = new Map();
  const texts = new LongTexts();
  let base: ReturnType<typeof toChannelVersion> | undefined;
  for (const { body } of rows) base = toChannelVersion(parseStoredValue(body), { items, texts, base });
  return base && readVersion(base);
}

const growing = Array.from({ length: 400 }, (_, last) => Array.from({ length: last + 1 }, (_, index) => index));

/** The second list begins anew at times, so the two do not have the same past. */
function inTwoLists(list: readonly number[]) {
  const start = Math.floor(list.length / 30) * 30;
  return { turns: list, others: list.map((number) => number + start) };
}

test.each([
  ["a list", growing],
  ["a list in an object", growing.map((turns) => ({ summary: "", turns }))],
  ["an object whose lists change in turn", growing.map(inTwoLists)],
  ["a list whose last element changes", growing.map(({ length }) => [...(growing[99]?.slice(0, 99) ?? []), length])],
])("%s is read from few rows, however often it changed", (_name, values) => {
  const versions = write(values);
  for (const index of [0, 20, 200, 201, 399]) {
    const { value } = versions[index] ?? {};
    const elements = Array.isArray(value) ? value : Object.values(Object(value)).flat();
    const rows = rowsOf(versions, index);
    expect(rows.length).toBeLessThan(132 + elements.length / 4);
    expect(read(rows)).toEqual(value);
  }
});

test("the rows that hold a whole list take a few characters for each version", () => {
  const versions = write(growing.map((list) => list.map((number) => `element ${1000 + number}`)));
  const size = versions.reduce((sum, { body }) => sum + body.length, 0);
  const sizeOfAdded = versions.filter(({ based }) => based).reduce((sum, { body }) => sum + body.length, 0);
  expect(versions.filter(({ based }) => !based).length).toBeGreaterThan(1);
  expect(size / sizeOfAdded).toBeLessThan(3);
});
