import type { InnerTurn, WholeStep } from "../wire.js";

/** Puts agents that ran in the tools of other agents into the steps of these. Returns those that are left. */
export function nested(runs: readonly InnerTurn[]): readonly InnerTurn[] {
  const isWithin = (run: InnerTurn, other: InnerTurn) => run.namespace.startsWith(`${other.namespace}|act:`);
  const outer = runs.filter((run) => !runs.some((other) => isWithin(run, other)));
  return outer.map((run) => {
    const within = nested(runs.filter((other) => isWithin(other, run)));
    return within.length === 0 ? run : { ...run, steps: withInner(run, within) };
  });
}

function withInner({ namespace, steps }: InnerTurn, within: readonly InnerTurn[]): WholeStep[] {
  const calling = steps.filter(({ decision }) => decision?.kind === "action");
  const stepOf = ({ startedAt = "" }: InnerTurn) =>
    calling.findLast(({ reply }) => reply.times !== undefined && reply.times.at <= startedAt) ?? calling[0];
  return steps.map((step) => {
    const { decision } = step;
    const actions = decision?.kind === "action" ? decision.actions : [];
    const inner = within.filter((run) => stepOf(run) === step);
    if (inner.length === 0) return step;
    // One of several calls has its place in the name.
    const placeOf = (run: InnerTurn) =>
      Number(/^\|act:[^|]*\|(\d+)/.exec(run.namespace.slice(namespace.length))?.[1] ?? 0);
    return { ...step, inner: inner.map((run) => ({ ...run, call: actions[placeOf(run)]?.id })) };
  });
}
