import { onTestFinished } from "vitest";
import { ThreadCheckpointer } from "../../src/threads/checkpoints/checkpointer.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
import type { TestDatabaseKind } from "../matrix/databases.js";

/** Opens a fresh database for the test that runs, and removes it afterwards. */
export async function openKind(kind: TestDatabaseKind): Promise<{ threads: Threads; url: string }> {
  const database = await kind.create();
  const threads = await openThreads(database.url);
  onTestFinished(async () => {
    await threads.close();
    await database.remove();
  });
  return { threads, url: database.url };
}

/** What keeps threads, with what it does not show to those who only use them. */
export function checkpointerOf({ checkpointer }: Threads): ThreadCheckpointer {
  if (!(checkpointer instanceof ThreadCheckpointer)) throw new Error("This is another checkpointer.");
  return checkpointer;
}

export const at = (thread_id: string, checkpoint_id?: string) => ({
  configurable: { thread_id, ...(checkpoint_id !== undefined && { checkpoint_id }) },
});

/** All values of a list, a history or an export. */
export async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
