import { expect } from "vitest";
import { type EventDetails, type TurnEvent, turnEventSchema } from "../../src/index.js";

/** Reads the events of a turn to their end. Each must be as the schema says, and have nothing else. */
export async function allOf(turn: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn) events.push(checked(event));
  return events;
}

export function checked(event: unknown): TurnEvent {
  const read = turnEventSchema.parse(event);
  expect(read).toEqual(event);
  return read;
}

const around = new Set<TurnEvent["type"]>([
  "turn-start",
  "turn-end",
  "model-start",
  "model-end",
  "answer-delta",
  "answer-reset",
  "text-delta",
]);

/** The pieces of the answer that count, put together. */
export function piecesOf(events: readonly TurnEvent[]): string {
  const start = events.findLastIndex(({ type }) => type === "answer-reset") + 1;
  return events
    .slice(start)
    .flatMap((event) => (event.type === "answer-delta" ? [event.text] : []))
    .join("");
}

/** The events that are steps, or lead to them: without starts, ends and pieces. */
export function stepsIn(events: readonly TurnEvent[]): TurnEvent[] {
  return events.filter(({ type }) => !around.has(type));
}

/** An event of the agent that runs, with an origin. */
export function event(details: EventDetails, origin: Partial<Pick<TurnEvent, "step" | "path">> = {}): TurnEvent {
  return { ...details, thread: "t", turn: "1", step: 1, time: "2026-11-22T08:00:00.000Z", path: [], ...origin };
}
