import type { Address } from "../address.js";
import type { Turn } from "../turn/turn.js";

/** What has room on a narrow page. */
export const panes = ["threads", "talk", "loop", "step"] as const;
export type Pane = (typeof panes)[number];

/** The pane of an address: the one that it names as its part, else that of a step or a part of one, else the conversation. */
export function paneOf({ step, part }: Address): Pane {
  return panes.find((pane) => pane === part) ?? (step === undefined && part === undefined ? "talk" : "step");
}

/** The turn that is shown: that of the address, else the newest. */
export function shownTurn(turns: readonly Turn[], { turn: number }: Address): Turn | undefined {
  return number === undefined ? turns.at(-1) : turns.find((turn) => turn.number === number);
}

/** The step after the shown one or before it, in all turns that are loaded; undefined if there is none. */
export function stepBeside(turns: readonly Turn[], address: Address, by: 1 | -1): Address | undefined {
  const turn = shownTurn(turns, address);
  const all = turns.flatMap(({ number, steps }) => steps.map((step) => ({ turn: number, step: step.number })));
  const isShown = (place: (typeof all)[number]) => place.turn === turn?.number && place.step === address.step;
  const ofTurn = all.filter((place) => place.turn === turn?.number);
  const begin = by === 1 ? ofTurn[0] : ofTurn.at(-1);
  const place = address.step === undefined ? begin : all[all.findIndex(isShown) + by];
  return place && { thread: address.thread, ...place };
}

/** The place that a place is a part of: the step of a part, the turn of a step, the thread of a turn. */
export function placeAbove({ thread, turn, step, part }: Address): Address {
  if (part !== undefined) return { thread, turn, ...(!panes.some((pane) => pane === part) && { step }) };
  return step === undefined ? { thread } : { thread, turn };
}
