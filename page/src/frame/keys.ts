import { useEffect, useEffectEvent, useRef } from "react";

/** What a key does on the whole page. A section is one of a step, from 1. */
export type KeyAction =
  | "search"
  | "threads"
  | "next-step"
  | "previous-step"
  | "back"
  | "keys"
  | { readonly section: number };

/** All keys, as the page lists them. */
export const keyList: readonly (readonly [keys: readonly string[], what: string])[] = [
  [["/"], "Search the threads"],
  [["g", "t"], "Go to the threads"],
  [["↑", "↓"], "Move in a list"],
  [["Enter"], "Open what is chosen"],
  [["j", "k"], "The next step, the one before"],
  [["1", "…", "5"], "A section of the step: prompt, reply, why, calls, changes"],
  [["a", "r"], "Approve or refuse the call that waits"],
  [["Esc"], "Back: from a part to its step, from a step to its turn"],
  [["?"], "This list"],
];

const actions: ReadonlyMap<string, KeyAction> = new Map([
  ["/", "search"],
  ["g t", "threads"],
  ["j", "next-step"],
  ["k", "previous-step"],
  ["Escape", "back"],
  ["?", "keys"],
]);

/** What a key does; `before` is the key before it. */
export function actionOf(key: string, before: string): KeyAction | undefined {
  if (/^[1-5]$/.test(key)) return { section: Number(key) };
  return actions.get(`${before} ${key}`) ?? actions.get(key);
}

/** The place in a list to which a key moves; undefined for another key. */
export function movedInList(key: string, place: number, length: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    Home: 0,
    End: length - 1,
  };
  const to = places[key];
  return to === undefined ? undefined : Math.max(0, Math.min(length - 1, to));
}

/** Acts on the keys of the page: not while somebody types, nor while a dialog is open. Esc leaves a field. */
export function useKeys(act: (action: KeyAction) => void): void {
  const before = useRef("");
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    const field = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (field instanceof HTMLElement) {
      if (event.key === "Escape") field.blur();
      return;
    }
    const action = actionOf(event.key, before.current);
    before.current = event.key;
    if (action === undefined) return;
    event.preventDefault();
    act(action);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
