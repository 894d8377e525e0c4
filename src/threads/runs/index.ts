// The door by which the server comes to threads: it imports no other file of theirs.
export { ThreadCheckpointer } from "../checkpoints/checkpointer.js";
export { type MadeCheckpoint, type RunCheckpoints, runIdOf } from "../checkpoints/run-identity.js";
export { CHANGED, type Database, type Listening, readNow, type Statement } from "../databases/database.js";
export { type HeldRun, heldStatement } from "../guard/held-run.js";
export { holding } from "../guard/lease.js";
export { leavesOf } from "../lookup/labels.js";
export { ItemStore } from "../store/item-store.js";
export type { Threads } from "../threads.js";
export { rollBackRun } from "../upkeep/rollback.js";
export * from "./database-health.js";
export * from "./run-events.js";
export * from "./run-rows.js";
export * from "./thread-directory.js";
export * from "./thread-traces.js";
