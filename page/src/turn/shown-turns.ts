import type { Turn } from "./turn.js";

/**
 * The turns to show, the oldest first: those that are kept, and those that run, each once. A turn that was loaded in the middle of its
 * run is shown as it is kept until its events, which are read from the beginning, have come as far.
 */
export function shownTurns(kept: readonly Turn[], live: readonly Turn[]): readonly Turn[] {
  const first = live[0]?.number ?? Number.POSITIVE_INFINITY;
  const before = kept.filter(({ number }) => number < first);
  const running = live.map((turn) => {
    const known = kept.find(({ number }) => number === turn.number);
    const isAhead = known?.kept && known.kept.next.length > 0 && turn.now && known.steps.length > turn.steps.length;
    return isAhead ? known : turn;
  });
  return [...before, ...running];
}

/** Adds to a turn that is kept what only its events told: reasoning, notes, the error, and what was written until it was stopped. */
export function withLive(kept: Turn, live: Turn | undefined): Turn {
  if (live === undefined) return kept;
  const steps = kept.steps.map((step) => {
    const told = live.steps.find(({ number }) => number === step.number);
    if (told === undefined || (told.reply && told.reply !== step.reply)) return step;
    return {
      ...step,
      reasoning: step.reasoning ?? told.reasoning,
      notes: step.notes.length > 0 ? step.notes : told.notes,
    };
  });
  if (kept.now) return { ...kept, steps };
  // The step at which a turn failed is not kept, and its error is that of its run.
  const hasFailed = kept.stopReason === undefined || kept.stopReason === "failed";
  const error = kept.error ?? (hasFailed ? live.error : undefined);
  const lost = error ? live.steps.filter(({ number }) => number > steps.length) : [];
  const isCut = kept.answer === undefined && live.stopReason === "cancelled";
  const written = isCut && { answer: live.answer ?? (live.writing || undefined), stopReason: live.stopReason };
  return { ...kept, steps: [...steps, ...lost], error, ...written };
}
