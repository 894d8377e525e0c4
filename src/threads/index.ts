export type { ThreadStatus, ThreadSummary, WaitingInterrupt } from "./checkpoints/thread-row.js";
export type { MultitaskStrategy } from "./guard/guard.js";
export type { HistoryBranch, HistoryStep, HistoryTurn, ThreadHistory } from "./lookup/history.js";
export type { SearchHit } from "./lookup/search.js";
export { type OpenThreadsOptions, openThreads, type Threads } from "./open.js";
export type { PruneResult } from "./threads.js";
export type { Pruned } from "./upkeep/prune.js";
export type { RetentionPolicy } from "./upkeep/retention.js";
export type { Speaker } from "./values/search-text.js";
