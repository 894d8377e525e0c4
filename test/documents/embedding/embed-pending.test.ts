import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { documents } from "../../../src/documents/documents.js";
import { embedPending } from "../../../src/documents/embedding/embed-pending.js";
import { EmbeddingModel } from "../../../src/documents/embedding/embedding-model.js";
import { DocumentIndex } from "../../../src/documents/index/document-index.js";
import { VectorTable } from "../../../src/documents/index/vector-table.js";
import type { IndexProgress } from "../../../src/documents/index-progress.js";
import { querySqlite } from "../../helpers/query-sqlite.js";
import { documentFolder } from "../document-folder.js";

const { folder, index, write } = documentFolder();
/** The texts of each call of the model. */
let calls: string[][];
/** What the model waits for before it returns. */
let before: () => Promise<void>;

beforeEach(() => {
  calls = [];
  before = async () => {};
  for (let n = 0; n < 66; n++) write(`${n}.md`, `Rain on day ${n}`);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const embeddings = {
  embedQuery: async () => [1, 2, 3],
  embedDocuments: async (texts: string[]) => {
    calls.push(texts);
    await before();
    return texts.map((text) => [text.length, 2, 3]);
  },
};

const open = (readingTimeMs?: number) => documents({ folder, index, embeddings, readingTimeMs });
const claims = () => querySqlite(index, "select value from settings where name like 'embedding %'");

it("sends each text once, whoever brings the index up to date at the same time", async () => {
  await using one = open();
  await using two = open();
  const [, , , { found }] = await Promise.all([one.refresh(), one.refresh(), two.refresh(), one.search("day 7")]);
  expect(found.length).toBeGreaterThan(0);
  expect(calls.flat()).toHaveLength(66);
  expect(new Set(calls.flat()).size).toBe(66);
  expect(await claims()).toEqual([]);
});

it("tells a run that waits what the other one has done", async () => {
  await using one = open();
  await using two = open();
  const claim = vi.spyOn(VectorTable.prototype, "claim");
  // The model waits until the other one was refused.
  before = async () => {
    await expect.poll(() => Promise.all(claim.mock.results.map(({ value }) => value))).toContain(false);
  };
  const told: IndexProgress[][] = [[], []];
  await Promise.all([one, two].map((docs, at) => docs.refresh((progress) => told[at]?.push(progress))));
  const last = { step: "embedding", done: 66, total: 66 };
  expect(told.map((each) => each.at(-1))).toEqual([last, last]);
  expect(calls.flat()).toHaveLength(66);
});

it("leaves the claim to the next one if the model fails", async () => {
  await using one = open();
  await using two = open();
  before = () => {
    before = async () => {};
    return Promise.reject(new Error("The model is away."));
  };
  const both = await Promise.allSettled([one.refresh(), two.refresh()]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(calls.flat()).toHaveLength(66 + 64);
});

it("takes a claim that lapsed or cannot be true, and no other", async () => {
  await documents({ folder, index }).refresh();
  const opened = await DocumentIndex.open(index, true);
  await opened.vectors.startAnew("Object (3)");
  const leftAfterClaimFor = async (ms: number) => {
    const row = `('embedding 1 Object (3)', '${Date.now() + ms} other')`;
    await querySqlite(index, `insert or replace into settings values ${row}`, "select 1");
    const hasTime = vi.fn(() => false).mockReturnValueOnce(true);
    return embedPending(opened.vectors, 1, new EmbeddingModel(embeddings), { hasTime });
  };
  expect(await leftAfterClaimFor(4_900)).toBe(66);
  expect(calls).toEqual([]);
  // A process was killed, or the clock was set back.
  expect(await leftAfterClaimFor(-1)).toBe(2);
  expect(await leftAfterClaimFor(3_600_000)).toBe(0);
  await opened.close();
});

it("leaves nothing if another run has made the last vectors since they were counted", async () => {
  await using docs = open();
  const count = vi.spyOn(VectorTable.prototype, "countPending");
  await docs.refresh();
  count.mockResolvedValueOnce(7);
  expect((await docs.refresh()).notSearched.unembedded).toBe(0);
});

it("does not take a claim that was made while its own waited for the index", async () => {
  await documents({ folder, index }).refresh();
  const opened = await DocumentIndex.open(index, true);
  expect(await opened.vectors.claim("work", "one")).toBe(true);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 300 });
  expect(await opened.vectors.claim("work", "other")).toBe(false);
  await opened.close();
});

it("keeps its claim while the model takes its time, for five minutes", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  await using docs = open();
  const claim = vi.spyOn(VectorTable.prototype, "claim");
  const clock = vi.spyOn(performance, "now");
  const renewals: number[] = [];
  before = async () => {
    before = async () => {};
    const start = performance.now();
    for (const passed of [0, 298_000, 301_000]) {
      clock.mockReturnValue(start + passed);
      for (let second = 0; second < 4; second++) await vi.advanceTimersByTimeAsync(1_000);
      await Promise.all(claim.mock.results.map(({ value }) => value));
      expect(await claims()).toEqual([{ value: expect.stringMatching(/^\d{13} \S+$/) }]);
      renewals.push(claim.mock.calls.length - 1);
    }
  };
  await docs.refresh();
  expect(renewals).toEqual([4, 8, 8]);
  expect(await claims()).toEqual([]);
});

it("gives its claim up when the last renewal, which may wait for the index, has ended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await using docs = open();
  const real = VectorTable.prototype.claim;
  const claim = vi.spyOn(VectorTable.prototype, "claim");
  before = async () => {
    before = async () => {};
    claim.mockImplementationOnce(async function (this: VectorTable, work, run) {
      await setTimeout(20);
      return real.call(this, work, run);
    });
    await vi.advanceTimersByTimeAsync(1_000);
  };
  await docs.refresh();
  expect(await Promise.all(claim.mock.results.map(({ value }) => value))).toEqual([true, true, true]);
  expect(await claims()).toEqual([]);
});

it("keeps the vectors if two processes begin with the same model", async () => {
  await using docs = open();
  await docs.refresh();
  const late = await DocumentIndex.open(index, true);
  await late.vectors.startAnew("Object (3)");
  await late.close();
  await docs.refresh();
  expect(calls.flat()).toHaveLength(66);
});
