import { createHash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { DocumentSearchError } from "../../base/errors.js";
import { type PendingPassage, RENEWAL_MS, type VectorTable } from "../index/vector-table.js";
import type { IndexWork } from "../index-progress.js";
import { aboutText, type EmbeddingModel } from "./embedding-model.js";

/** The number of passages that the model is asked for at a time. A kill loses no more than these. */
const batchSize = 64;
/** The time between two looks at what another run, which has the claim, has done. */
const pauseMs = 250;
/** A call of the model that takes longer may never end. The others wait no more. */
const longestCallMs = 5 * 60_000;

/**
 * Makes the vectors of all passages of a folder that have none yet. Each batch is kept when it is there. A text that had a
 * vector before is not sent to the model again. Of several runs at the same time, in this process or in others, one asks the
 * model, and the others wait for its vectors.
 *
 * @returns The number of passages that still have no vector.
 * @throws {DocumentSearchError} if the model fails, or another process makes vectors by another model.
 */
export async function embedPending(
  vectors: VectorTable,
  folder: number,
  model: EmbeddingModel,
  { hasTime, signal, onProgress }: IndexWork,
): Promise<number> {
  const identity = await model.identity();
  const before = await vectors.model();
  if (before !== identity) {
    await vectors.startAnew(identity);
    if (before !== undefined) onProgress?.({ step: "other-model", before });
  }
  const work = `embedding ${folder} ${identity}`;
  let left = await vectors.countPending(folder);
  for (let total = left; left > 0 && hasTime(); ) {
    signal?.throwIfAborted();
    const batch = await vectors.pending(folder, batchSize);
    // Another run has made the last ones since they were counted.
    if (batch.length === 0) return 0;
    const isDone = await whileClaimed(vectors, work, () => embedBatch(vectors, model, identity, batch));
    if (!isDone) await setTimeout(pauseMs);
    const now = await vectors.countPending(folder);
    // Another process may have found more to do.
    total = Math.max(total, now);
    if (now !== left) onProgress?.({ step: "embedding", done: total - now, total });
    left = now;
  }
  return left;
}

/** Does a work if no other run has claimed it, and keeps the claim until the work ends. Tells whether it was done. */
async function whileClaimed(vectors: VectorTable, work: string, action: () => Promise<void>): Promise<boolean> {
  const run = randomUUID();
  if (!(await vectors.claim(work, run))) return false;
  const start = performance.now();
  let renewed: Promise<unknown> | undefined;
  const renewal = setInterval(() => {
    if (performance.now() - start < longestCallMs) renewed = vectors.claim(work, run).catch(() => {});
  }, RENEWAL_MS).unref();
  try {
    await action();
    return true;
  } finally {
    clearInterval(renewal);
    // One that waits for the index would claim the work again.
    await renewed;
    await vectors.release(work, run);
  }
}

async function embedBatch(
  vectors: VectorTable,
  model: EmbeddingModel,
  identity: string,
  batch: readonly PendingPassage[],
): Promise<void> {
  const keyed = batch.map((passage) => {
    const text = aboutText(passage);
    return { passage: passage.id, text, key: createHash("sha256").update(text).digest("base64") };
  });
  const known = await vectors.known(keyed.map(({ key }) => key));
  const fresh = new Map(keyed.filter(({ key }) => !known.has(key)).map(({ key, text }) => [key, text]));
  const made = fresh.size === 0 ? [] : await model.embedPassages([...fresh.values()]);
  const keys = [...fresh.keys()];
  const vectorsMade = made.map((vector, at) => ({ key: keys[at] ?? "", vector }));
  await vectors.store(identity, vectorsMade, keyed);
  const now = await vectors.model();
  if (now === identity) return;
  const reason = `another process makes the vectors of this index by ${now}. Give each model an index of its own.`;
  throw new DocumentSearchError(identity, reason);
}
