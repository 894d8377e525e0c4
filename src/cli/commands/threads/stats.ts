import type { Threads } from "../../../threads/open.js";
import type { Io } from "../../io.js";
import { databaseOption, type PrintOptions, programCommand } from "../../program/commands.js";
import { jsonLine } from "../../screen/screen-text.js";
import type { ThreadDetails } from "../../screen/stats-lines.js";
import { findThread, openKeptThreads } from "../../session/kept-threads.js";

export function statsCommand(io: Io) {
  return programCommand("stats", io)
    .description("Count turns, model calls, tokens, money (list prices) and bytes: of all threads, or of one.")
    .argument("[id]", "the thread's id (default: all threads)")
    .addOption(databaseOption())
    .option("--json", "print one JSON object")
    .action((id, options) => showStats(id, options, io));
}

/** Prints what all threads took, or one thread with its tools and the ends of its turns. */
async function showStats(id: string | undefined, { db, json }: PrintOptions, io: Io): Promise<void> {
  await using threads = await openKeptThreads(db, io);
  const thread = id === undefined ? undefined : (await findThread(threads, id)).id;
  const stats = await threads.stats(thread === undefined ? {} : { thread });
  const details = thread === undefined ? undefined : await detailsOf(threads, thread);
  const [{ costOf }, { statsLines }] = await Promise.all([
    import("../../../model/prices.js"),
    import("../../screen/stats-lines.js"),
  ]);
  const cost = costOf(stats.usage);
  const line = { type: "stats", thread, ...stats, cost, ...details };
  io.stdout.write(json ? jsonLine(line) : statsLines({ ...stats, cost, details }));
}

/** Reads what the turns of a thread did, as far as they are kept. */
async function detailsOf(threads: Threads, thread: string): Promise<ThreadDetails> {
  const { conversationOf } = await import("../../screen/conversation.js");
  const [events, { turns }] = await Promise.all([conversationOf(threads, thread), threads.history(thread)]);
  return {
    toolCalls: countsOf(events.flatMap((event) => (event.type === "action" ? event.tool : []))),
    stopReasons: countsOf(turns.flatMap(({ stopReason }) => stopReason ?? [])),
    workedMs: turns.reduce((sum, { workedMs = 0 }) => sum + workedMs, 0),
  };
}

/** Counts how often each name comes. */
function countsOf(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(counts);
}
