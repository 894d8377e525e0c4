import type { OpenThread } from "../client/open-thread.js";
import type { Turn } from "../turn/turn.js";

/** What a turn did: a sentence, the graph with the ways that were taken, and its times. */
export function LoopPane({
  turn,
  step,
}: {
  readonly thread: OpenThread;
  readonly turn: Turn;
  readonly step: number | undefined;
}) {
  return <section className="loop-pane">{`${turn.asked} ${step}`}</section>;
}
