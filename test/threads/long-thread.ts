import { openThreads, type Threads } from "../../src/threads/open.js";
import { agentOn, answer } from "./agents.js";
import { at } from "./open-kind.js";

/** How many turns a thread has that holds more of everything than is read or written at a time. */
export const LONG = 60;

export const askedIn = (turn: number) => `Say hello ${turn}`;
export const answerOf = (turn: number) => `Hello ${turn}, ${"once more and ".repeat(20)}good bye`;

let written: Promise<Threads> | undefined;

/** Threads of which one, "long", has {@link LONG} turns. They are made once, because that is slow. */
export function longThread(): Promise<Threads> {
  written ??= writeLongThread();
  return written;
}

async function writeLongThread(): Promise<Threads> {
  const threads = await openThreads("memory:");
  const turns = Array.from({ length: LONG }, (_, index) => index + 1);
  const agent = agentOn(threads, ...turns.map((turn) => answer(answerOf(turn))));
  for (const turn of turns) await agent.invoke({ messages: askedIn(turn) }, at("long"));
  return threads;
}
