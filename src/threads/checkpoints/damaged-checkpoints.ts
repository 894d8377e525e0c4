import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { type Database, optionalTextOf, type Statement, textOf } from "../databases/database.js";
import { serialize } from "../values/serialize.js";
import { type CheckpointKey, DAMAGED } from "./checkpoint-rows.js";

/**
 * Reads the ids of the checkpoints of a thread's last turn, the newest first. The last id is that of the turn before.
 * Damaged checkpoints are listed, too. The list ends there because a thread that goes back further loses more than a
 * turn.
 */
export async function readLastTurn(database: Database, thread: string, namespace: string): Promise<string[]> {
  const rows = await database.all(
    "select id, parent, metadata from glassloop_checkpoints where thread = $1 and namespace = $2 order by sequence desc",
    [thread, namespace],
  );
  const byId = new Map(rows.map((row) => [textOf(row, "id"), row]));
  const ids: string[] = [];
  let hasBegun = false;
  for (let row = rows[0]; row !== undefined; row = byId.get(optionalTextOf(row, "parent") ?? "")) {
    ids.push(textOf(row, "id"));
    if (hasBegun) return ids;
    hasBegun = textOf(row, "metadata").includes('"source":"input"');
  }
  return ids;
}

/**
 * Takes checkpoints out of a thread. Notes their ids in the checkpoint that becomes the newest one.
 *
 * @param newest The checkpoint that becomes the newest one.
 * @param metadata Its metadata.
 * @param damaged The ids of the checkpoints to take out.
 */
export function setAside(
  newest: CheckpointKey,
  metadata: CheckpointMetadata | undefined,
  damaged: readonly string[],
): Statement[] {
  const { thread, namespace, id } = newest;
  const { content } = serialize({ ...metadata, repaired: damaged });
  return [
    ...damaged.map((id) => ({ sql: move, parameters: [thread, namespace, id, DAMAGED] })),
    { sql: note, parameters: [thread, namespace, id, content] },
  ];
}

const move = "update glassloop_checkpoints set namespace = $4 where thread = $1 and namespace = $2 and id = $3";
const note = "update glassloop_checkpoints set metadata = $4 where thread = $1 and namespace = $2 and id = $3";
