export type { MultitaskStrategy } from "../core/run/keeper.js";
export type { ThreadSettings, ThreadStatus, ThreadSummary, WaitingInterrupt } from "./checkpoints/thread-row.js";
export type { HistoryBranch, HistoryStep, HistoryTurn, ThreadHistory } from "./lookup/history.js";
export type { SearchHit } from "./lookup/search.js";
export type { ThreadStats } from "./lookup/thread-stats.js";
export { type OpenThreadsOptions, openThreads, type Threads } from "./open.js";
export type { PruneResult } from "./threads.js";
export type { Pruned, RetentionPolicy } from "./upkeep/prune.js";
export type { Speaker } from "./values/search-text.js";
