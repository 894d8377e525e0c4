// The figures of a bench run.

/** The names of the figures that must be 0, and their words. */
const harms = {
  lostTurns: "lost turns",
  doubledEffects: "doubled effects",
  lostEffects: "lost effects",
  damaged: "damaged threads",
  hangs: "hangs over 60 s",
  crashes: "crashes",
  strange: "other errors",
};

/** The codes of the errors that callers have to expect under these faults. */
const expected = [
  "checkpoint-not-kept",
  "thread-in-use",
  "thread-pruned",
  "thread-taken-over",
  "threads-database-failed",
];

/** Prints the figures. The bench fails if one of the harms happened, or if nothing did. */
export function printReport({ db, seed }, totals) {
  const strange = Object.entries(totals.errors).filter(([name]) => !expected.includes(name));
  const figures = { ...totals, strange: strange.reduce((sum, [, count]) => sum + count, 0) };
  console.log(`${totals.rounds} rounds on ${nameOf(db)}, seed ${seed}`);
  for (const [name, count] of Object.entries(totals.faults).sort()) print(`fault: ${name}`, count);
  for (const [name, count] of Object.entries(totals.errors).sort()) print(`error: ${name}`, count);
  print("answered turns", totals.turns);
  print("copies", totals.copies);
  for (const [name, words] of Object.entries(harms)) print(words, figures[name] ?? 0);
  if (totals.turns === 0 || Object.keys(harms).some((name) => figures[name] > 0)) process.exitCode = 1;
}

function print(words, count) {
  console.log(`  ${words.padEnd(34)}  ${count}`);
}

/** Shows an address without its password. */
function nameOf(db) {
  return db.includes("://") ? "a given server" : db;
}
