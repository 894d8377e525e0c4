import type { OpenThread } from "../client/open-thread.js";
import type { Turn } from "../turn/turn.js";

/** One step of a turn: its prompt, the reply, why it was read so, the calls, and what it changed. */
export function StepPane({
  turn,
  step,
}: {
  readonly thread: OpenThread;
  readonly turn: Turn;
  readonly step: number | undefined;
}) {
  return <section className="step-pane">{`${turn.asked} ${step}`}</section>;
}
