import { createHash, randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { DocumentSearchError } from "../../base/errors.js";
import { CLAIM_MS, type Claim, type PendingPassage, type VectorTable } from "../index/vector-table.js";
import { aboutText, type EmbeddingModel } from "./embedding-model.js";

/** The number of passages that the model is asked for at a time. A kill loses no more than these. */
const batchSize = 64;
/** The time between two looks at what another run, which has the claim, has done. */
const pauseMs = 250;

/** The limits of {@link embedPending}, and what it tells. */
export interface EmbeddingRun {
  /** Tells whether there is time for another batch. */
  hasTime(): boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch with the number of passages that have got a vector, and that of all that had none. */
  onEmbedded(done: number, total: number): void;
  /** Called when the vectors of another model are dropped. */
  onOtherModel(before: string): void;
}

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
  run: EmbeddingRun,
): Promise<number> {
  const identity = await model.identity();
  const before = await vectors.model();
  if (before !== identity) {
    await vectors.startAnew(identity);
    if (before !== undefined) run.onOtherModel(before);
  }
  const claim = { name: `embedding ${folder} ${identity}`, owner: randomUUID() };
  let left = await vectors.countPending(folder);
  for (let total = left; left > 0 && run.hasTime(); ) {
    run.signal?.throwIfAborted();
    const embedNext = async () => embedBatch(vectors, model, identity, await vectors.pending(folder, batchSize));
    if (!(await whileClaimed(vectors, claim, embedNext))) await setTimeout(pauseMs);
    const now = await vectors.countPending(folder);
    // Another process may have found more to do.
    total = Math.max(total, now);
    if (now !== left) run.onEmbedded(total - now, total);
    left = now;
  }
  return left;
}

/** Does the work if the claim is free, and keeps the claim until the work ends. Tells whether it was free. */
async function whileClaimed(vectors: VectorTable, claim: Claim, work: () => Promise<void>): Promise<boolean> {
  if (!(await vectors.claim(claim))) return false;
  const renewal = setInterval(() => void vectors.claim(claim).catch(() => {}), CLAIM_MS / 5);
  try {
    await work();
    return true;
  } finally {
    clearInterval(renewal);
    await vectors.release(claim);
  }
}

async function embedBatch(
  vectors: VectorTable,
  model: EmbeddingModel,
  identity: string,
  batch: readonly PendingPassage[],
): Promise<void> {
  const keyed = batch.map((passage) => ({ passage: passage.id, text: aboutText(passage) })).map(withKey);
  const known = await vectors.known(keyed.map(({ key }) => key));
  const fresh = new Map(keyed.filter(({ key }) => !known.has(key)).map(({ key, text }) => [key, text]));
  const made = fresh.size === 0 ? [] : await model.embedPassages([...fresh.values()]);
  const keys = [...fresh.keys()];
  await vectors.store(
    identity,
    made.map((vector, index) => ({ key: keys[index] ?? "", vector })),
    keyed,
  );
  const now = await vectors.model();
  if (now === identity) return;
  const reason = `another process makes the vectors of this index by ${now}. Give each model an index of its own.`;
  throw new DocumentSearchError(identity, reason);
}

function withKey<Passage extends { readonly text: string }>(passage: Passage): Passage & { readonly key: string } {
  return { ...passage, key: createHash("sha256").update(passage.text).digest("base64") };
}
