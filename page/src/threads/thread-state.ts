import type { OpenThread } from "../client/open-thread.js";
import type { Tone } from "../parts/chip.js";
import type { ListedThread } from "../wire.js";

/** How a thread stands, in a word or two. `says` is for those who do not see the page. */
export interface ThreadState {
  readonly word: string;
  readonly tone: Tone;
  readonly says: string;
}

const running: ThreadState = { word: "running", tone: "plain", says: "" };
const waiting: ThreadState = { word: "waits for you", tone: "person", says: "Waits for you." };
const failed: ThreadState = { word: "failed", tone: "bad", says: "Failed." };
const answered: ThreadState = { word: "answered", tone: "good", says: "Answered." };
const stopped: ThreadState = { word: "stopped", tone: "plain", says: "Stopped." };
const atLimit: ThreadState = { word: "at a limit", tone: "person", says: "Stopped at a limit." };

/** The stop reasons that are no limit. */
const ends: Readonly<Record<string, ThreadState>> = {
  answered,
  returned: answered,
  length: { word: "cut off", tone: "person", says: "The answer was cut off." },
  refused: { word: "refused", tone: "person", says: "The model refused to answer." },
  "not-found": { word: "nothing found", tone: "person", says: "Nothing was found." },
  ungrounded: { word: "not confirmed", tone: "person", says: "The answer is not confirmed." },
  filtered: { word: "filtered", tone: "bad", says: "A content filter stopped the answer." },
  cancelled: stopped,
  interrupted: stopped,
  failed,
  waiting,
  "handed-over": { word: "handed over", tone: "plain", says: "Handed over." },
};

/** How a turn ended. */
function endState(stopReason: string | undefined): ThreadState | undefined {
  return stopReason === undefined ? undefined : (ends[stopReason] ?? atLimit);
}

/** How a thread of the list stands; undefined if no turn ended in it. */
export function listedState({ status, stopReason }: Pick<ListedThread, "status" | "stopReason">) {
  const states = { running, waiting, failed, interrupted: stopped, idle: endState(stopReason) };
  return states[status];
}

/** How the open thread stands. Its events come before the list hears of them. */
export function openState(thread: Pick<OpenThread, "listed" | "run" | "turns">): ThreadState | undefined {
  const last = thread.turns.at(-1);
  if (thread.run !== undefined) return running;
  if (last && last.waiting.length > 0) return waiting;
  if (last?.error) return failed;
  const known = endState(last?.stopReason) ?? (last?.now && running);
  return known ?? (thread.listed && listedState(thread.listed));
}

/** What a thread waits for: `2 calls wait`. */
export function waitsFor(questions: ListedThread["waiting"] = []): string {
  const calls = questions.flatMap((question) => (question.type === "approval" ? question.requests : []));
  if (calls.length === 0) return "a question waits";
  return calls.length === 1 ? "1 call waits" : `${calls.length} calls wait`;
}
