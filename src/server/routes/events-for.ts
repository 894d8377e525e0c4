import type { Run, RunEvent } from "../engine/run-engine.js";
import { nameFor } from "../engine/wire-events.js";
import type { SentEvent } from "../wire/event-stream.js";
import { ChainEvents } from "./chain-events.js";

/**
 * Yields the events of a run that its client asked for. They are numbered from 0, as on LangGraph's server: a reader that comes
 * back with the last number that it has misses nothing.
 *
 * @param after The number of the last event that the reader has; -1 for all.
 */
export async function* eventsFor(
  { id, given }: Pick<Run, "id" | "given">,
  after: number,
  recorded: AsyncIterable<RunEvent>,
): AsyncGenerator<SentEvent> {
  const chain = given.streamMode.includes("events") ? new ChainEvents(id) : undefined;
  let number = -1;
  for await (const event of recorded) {
    const name = nameFor(event, given);
    const chained = chain?.of(event).map((json) => ({ event: "events", json })) ?? [];
    for (const sent of [...(name === undefined ? [] : [{ event: name, json: event.json }]), ...chained]) {
      number += 1;
      if (number > after) yield { ...sent, id: String(number) };
    }
  }
}
