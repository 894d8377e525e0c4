// Compares a thread and its copies with what callers were told.
import { existsSync, readFileSync } from "node:fs";
import { appended, observationOf } from "../kill/check.mjs";
import { answer, question } from "../kill/plan.mjs";

/** Counts what a round lost, did twice or damaged. Says each case. */
export async function checkRound(round, threads, agent, say) {
  const lines = existsSync(round.file) ? readFileSync(round.file, "utf8").trimEnd().split("\n") : [];
  const found = { lostTurns: 0, doubledEffects: lines.length - new Set(lines).size, lostEffects: 0, damaged: 0 };
  if (found.doubledEffects > 0) say(`doubled: ${lines.filter((line, at) => lines.indexOf(line) < at).join(", ")}`);
  const messages = await readWhole(round.thread, threads, agent).catch((error) => {
    found.damaged += 1;
    say(`damaged: ${error.stack}`);
  });
  if (messages === undefined) return found;
  for (const turn of round.acknowledged) {
    const missing = missingOf(round.number, turn, messages, lines);
    found[missing] += 1;
    if (missing) say(`${missing}: turn ${turn}`);
  }
  for (const [copy, count] of round.copies) {
    const problem = await problemOf(copy, count, messages, threads, agent);
    if (problem) say(`damaged copy ${copy}: ${problem}`);
    if (problem) found.damaged += 1;
  }
  return found;
}

/** Reads all that is kept of a thread. @returns Its messages. @throws if a part cannot be read. */
async function readWhole(id, threads, agent) {
  const thread = { configurable: { thread_id: id } };
  const { turns } = await threads.history(id);
  if (turns.flatMap(({ steps }) => steps).some(({ repaired }) => repaired)) throw new Error("A part was set aside.");
  for await (const _ of threads.checkpointer.list(thread));
  for await (const _ of threads.export(id));
  return (await agent.getState(thread)).values.messages;
}

/** Tells what is lost of a turn that was acknowledged; undefined if nothing is. */
function missingOf(run, turn, messages, lines) {
  const isThere = (text) => messages.filter((message) => message.text === text).length === 1;
  if (!isThere(question(run, turn)) || !isThere(answer(run, turn))) return "lostTurns";
  const isKnown = ({ step, index }) => observationOf(messages, question(run, turn), step, index) === "appended";
  const isLost = appended().some((call) => isKnown(call) && !lines.includes(`${turn} ${call.line}`));
  return isLost ? "lostEffects" : undefined;
}

/** Tells what is wrong with a copy; undefined if it is whole. */
async function problemOf(copy, count, messages, threads, agent) {
  try {
    const copied = (await readWhole(copy, threads, agent)) ?? [];
    if (copied.length < count) return `it has ${copied.length} messages and not ${count}.`;
    const at = copied.findIndex((message, index) => !isSame(message, messages[index]));
    return at < 0 ? undefined : `message ${at} is ${shown(copied[at])} and not ${shown(messages[at])}.`;
  } catch (error) {
    return error.stack;
  }
}

/** A question gets its id when the first node begins. A checkpoint before that shows another one at each look. */
function isSame(message, other) {
  return message.text === other?.text && (message.type === "human" || message.id === other.id);
}

function shown(message) {
  return message === undefined ? "nothing" : `${message.id} "${message.text.slice(0, 80)}"`;
}
