import { useState } from "react";
import type { OpenThread } from "../client/open-thread.js";

/** A question that waits for the run before it. */
interface Queued {
  readonly question: string;
  /** The number of the newest turn when it was asked. */
  readonly after: number;
}

/** Asks questions, and keeps those in sight whose turn has not begun. */
export function useQueue({ turns, run, ask }: OpenThread, agent: string) {
  const [queued, setQueued] = useState<readonly Queued[]>([]);
  const hasBegun = (one: Queued) => turns.some(({ number, asked }) => number > one.after && asked === one.question);
  const waiting = run === undefined ? [] : queued.filter((one) => !hasBegun(one));
  async function askNext(question: string): Promise<boolean> {
    const one = { question, after: turns.at(-1)?.number ?? 0 };
    setQueued([...waiting, one]);
    const isTaken = await ask(question, agent);
    if (!isTaken) setQueued((all) => all.filter((other) => other !== one));
    return isTaken;
  }
  return { waiting: waiting.map(({ question }) => question), askNext };
}
