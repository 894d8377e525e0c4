import type { Turn } from "../turn/turn.js";

/** A turn of an agent in a tool. */
export interface Inside {
  readonly key: string;
  /** The tools that lead to it. */
  readonly path: readonly string[];
  /** The step of the outer turn. */
  readonly step: number;
  readonly turn: Turn;
}

/** The turns of the agents in the tools of a turn, at any depth. */
export function insidesOf({ steps }: Turn, path: readonly string[] = [], outer?: number): Inside[] {
  return steps.flatMap(({ number, calls }) =>
    calls.flatMap(({ id, tool, inner }) =>
      inner.flatMap((turn, n) => {
        const step = outer ?? number;
        const inside = { key: `${id} ${n}`, path: [...path, tool], step, turn };
        return [inside, ...insidesOf(turn, inside.path, step)];
      }),
    ),
  );
}
