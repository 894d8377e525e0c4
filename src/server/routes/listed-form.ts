import { personAsked } from "../../core/run/events.js";
import { costOf } from "../../model/prices.js";
import type { ListedThread } from "../../threads/runs/index.js";
import type { Graphs } from "../graphs.js";
import { bounded } from "../wire/bounded.js";

/** The most characters of a text, and about the most bytes of a thread, in a list and in its changes. */
const MOST_CHARACTERS = 1_000;
const MOST_OF_ONE = 8_000;

/** Returns a thread as a list of threads has it. It is small, whatever waits and whatever its metadata are. */
export function listedForm({ interrupts, usage, metadata, graph, ...thread }: ListedThread, graphs: Graphs) {
  const form = {
    ...thread,
    graph: graphs.ofThread({ metadata, graph })?.name ?? graph,
    ...(interrupts && { waiting: interrupts.map(personAsked) }),
    ...(usage && { usage, cost: costOf(usage) }),
    metadata,
  };
  return bounded(form, { mostCharacters: MOST_CHARACTERS, most: MOST_OF_ONE });
}
