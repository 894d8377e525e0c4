import type { Run, RunEvent } from "../engine/run-engine.js";
import { nameFor } from "../engine/wire-events.js";
import type { SentEvent } from "../wire/event-stream.js";

/**
 * Yields the events of a run that its client asked for. They are numbered from 0, as on LangGraph's server: a reader that comes
 * back with the last number that it has misses nothing.
 *
 * @param after The number of the last event that the reader has; -1 for all.
 */
export async function* eventsFor(
  { given }: Pick<Run, "given">,
  after: number,
  recorded: AsyncIterable<RunEvent>,
): AsyncGenerator<SentEvent> {
  let number = -1;
  for await (const event of recorded) {
    const name = nameFor(event, given);
    if (name === undefined) continue;
    number += 1;
    if (number > after) yield { event: name, json: event.json, id: String(number) };
  }
}
