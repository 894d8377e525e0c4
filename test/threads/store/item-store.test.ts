import { HumanMessage } from "@langchain/core/messages";
import { InMemoryStore, type Operation } from "@langchain/langgraph-checkpoint";
import { describe, expect, test } from "vitest";
import type { Threads } from "../../../src/threads/open.js";
import { ItemStore } from "../../../src/threads/store/item-store.js";
import { pick, randomFrom } from "../../helpers/random.js";
import { databases, memory } from "../../matrix/databases.js";
import { matrix } from "../../matrix/matrix.js";
import { checkpointerOf, openKind } from "../open-kind.js";

const storeOf = (threads: Threads, owner?: string) => new ItemStore(checkpointerOf(threads).database, owner);
const oddKeys = ["", " ", "a.b", '"', "\\", "\u0000", "\ud800", "\udfff", "ÄÖ", "*", "__proto__", "k".repeat(2_000)];

describe.each(matrix(databases, memory))("the store on $name", (kind) => {
  test("a value comes back as it was put", async () => {
    const store = storeOf((await openKind(kind)).threads);
    const values = [
      {},
      JSON.parse('{"__proto__":{"a":1},"toString":1,"lc":1,"type":"constructor","id":["langchain"],"kwargs":{}}'),
      { lc: 2, type: "undefined" },
      { text: `\u0000 \ud800 \u2028 ${"long ".repeat(3_000)}`, list: [[], [null, { deep: [true] }]], tiny: 5e-324 },
      { message: new HumanMessage({ content: "Hi", id: "m" }), map: new Map([["a", new Set([1])]]), gone: undefined },
    ];
    for (const [n, value] of values.entries()) await store.put(["a"], String(n), value);
    const items = await store.search(["a"]);
    expect(items.map(({ value }) => value)).toEqual(values);
    expect(Object.hasOwn(items[1]?.value ?? {}, "__proto__")).toBe(true);
    expect(items[4]?.value.message).toBeInstanceOf(HumanMessage);
  });

  test("keys and labels may have any characters, and are never taken for each other", async () => {
    const store = storeOf((await openKind(kind)).threads);
    const labels = oddKeys.filter((label) => label !== "" && !label.includes(".") && !label.includes("\u0000"));
    const places = [
      ...oddKeys.map((key) => [["a"], key] as const),
      ...labels.map((label) => [["a", label], "b"] as const),
    ];
    for (const [n, [namespace, key]] of places.entries()) await store.put([...namespace], key, { n });
    const read = await Promise.all(places.map(([namespace, key]) => store.get([...namespace], key)));
    expect(read.map((item) => item && [item.namespace, item.key, item.value.n])).toEqual(
      places.map(([namespace, key], n) => [namespace, key, n]),
    );
    for (const label of labels) expect(await store.search(["a", label])).toHaveLength(1);
    expect(await store.search([""].slice(1), { limit: 1_000 })).toHaveLength(places.length);
    for (const [namespace, key] of places) await store.delete([...namespace], key);
    expect(await store.search(["a"])).toEqual([]);
    expect(await store.listNamespaces()).toEqual([]);
  });

  test("an owner sees and changes only their own items", async () => {
    const { threads } = await openKind(kind);
    const [ann, bob, nobody] = [storeOf(threads, "ann"), storeOf(threads, "bob"), storeOf(threads)];
    await ann.put(["a"], "k", { of: "ann" });
    await bob.put(["a"], "k", { of: "bob" });
    await bob.delete(["a"], "other");
    await nobody.delete(["a"], "k");
    expect((await ann.get(["a"], "k"))?.value).toEqual({ of: "ann" });
    await bob.delete(["a"], "k");
    expect(await ann.search([])).toHaveLength(1);
    expect(await bob.search([])).toEqual([]);
    expect(await bob.listNamespaces()).toEqual([]);
    expect([await nobody.get(["a"], "k"), await nobody.search([]), await nobody.listNamespaces()]).toEqual([
      null,
      [],
      [],
    ]);
  });

  test("it does what LangGraph's store in memory does", async () => {
    const random = randomFrom(38);
    const one = <Value>(...values: readonly Value[]) => pick(values, random);
    const [ours, theirs] = [storeOf((await openKind(kind)).threads), new InMemoryStore()];
    const part = () =>
      one<() => unknown>(...[0, 1, 2, "1", "b", true, null, [1], undefined].map((value) => () => value))();
    const wanted = () =>
      one<() => unknown>(
        part,
        () => [part()],
        () => ({}),
        () => ({ [one(...operators)]: part() }),
        () => ({ $in: [part(), part()], $ne: 1 }),
      )();
    const namespace = () => Array.from({ length: one(1, 2, 3) }, () => one("a", "ab", "b"));
    const place = () => ({ namespace: namespace(), key: one("k", "l") });
    const search = (filter?: object) => ({ namespacePrefix: namespace().slice(1), filter, limit: 99 });
    const reads = () => one<() => Operation>(place, search, () => search({ n: wanted(), m: wanted() }))();
    const value = () =>
      one<() => object | null>(
        () => ({ n: part(), m: part() }),
        () => ({ n: 1 }),
        () => null,
      )();
    const writes = () => ({ ...place(), value: value() });
    for (let round = 0; round < 50; round += 1) {
      const batch = Array.from({ length: one(1, 2, 4, 8) }, one<() => Operation>(reads, writes));
      const results = [await ours.batch(batch), await theirs.batch(structuredClone(batch))].map(plain);
      expect([batch, results[0]]).toEqual([batch, results[1]]);
    }
  });

  test("a batch reads what was there before it, and the last of its writes counts", async () => {
    const store = storeOf((await openKind(kind)).threads);
    const place = { namespace: ["a"], key: "k" };
    const writes = [{ n: 1 }, null, { n: 2 }].map((value) => ({ ...place, value }));
    expect(await store.batch([...writes, place])).toEqual([undefined, undefined, undefined, null]);
    expect((await store.get(["a"], "k"))?.value).toEqual({ n: 2 });
  });
});

const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$other"];

/** What results say, without times and in no order. */
function plain(results: readonly unknown[]): string[][] {
  return results.map((result) =>
    (Array.isArray(result) ? result : [result])
      .map((item) => JSON.stringify(item ? [item.namespace, item.key, item.value] : null))
      .sort(),
  );
}
