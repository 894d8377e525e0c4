import { createAgent } from "../../src/agent/create-agent.js";
import { scriptedModel } from "../../src/testing/index.js";
import { openThreads, type Threads } from "../../src/threads/open.js";
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
  const model = scriptedModel(turns.map((turn) => ` I know\nFinal Answer: ${answerOf(turn)}`));
  const { checkpointer } = threads;
  const agent = createAgent({ model, protocol: "react", rephrase: false, checkpointer });
  for (const turn of turns) await agent.invoke({ messages: askedIn(turn) }, at("long"));
  return threads;
}
