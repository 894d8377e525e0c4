import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import type { VirtualizerHandle } from "virtua";
import type { Address } from "../address.js";
import type { Turn } from "../turn/turn.js";

/** So near to its end a list counts as being there. */
const NEAR = 48;

/** Keeps a list at its end while it grows, if it was there. */
export function useFollowing(list: RefObject<HTMLElement | null>, startsAtEnd: boolean): void {
  useEffect(() => {
    const scroller = list.current;
    const content = scroller?.firstElementChild;
    if (!scroller || !content) return;
    let isAtEnd = startsAtEnd;
    const toEnd = () => {
      if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
    };
    const onScroll = () => {
      isAtEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
    };
    const watching = new ResizeObserver(toEnd);
    watching.observe(content);
    watching.observe(scroller);
    scroller.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      watching.disconnect();
      scroller.removeEventListener("scroll", onScroll);
    };
  }, [list, startsAtEnd]);
}

/** Tells whether older turns came in front of the others in this render. */
export function usePrepended(turns: readonly Turn[]): boolean {
  const first = turns[0]?.number;
  const before = useRef(first);
  const isPrepended = first !== undefined && before.current !== undefined && first < before.current;
  useLayoutEffect(() => {
    before.current = first;
  });
  return isPrepended;
}

/** Brings the chosen turn and its chosen step into view, once for each choice. */
export function useChosenInView(
  list: RefObject<HTMLElement | null>,
  virtual: RefObject<VirtualizerHandle | null>,
  turns: readonly Turn[],
  { turn, step }: Address,
): void {
  const index = turns.findIndex(({ number }) => number === turn);
  const isThere = index >= 0;
  const show = useEffectEvent(() => virtual.current?.scrollToIndex(index, { align: "nearest" }));
  useEffect(() => {
    if (turn === undefined || !isThere) return;
    show();
    if (step === undefined) return;
    const frame = requestAnimationFrame(() => {
      list.current?.querySelector(".line[aria-current]")?.scrollIntoView({ block: "nearest" });
    });
    return () => cancelAnimationFrame(frame);
  }, [list, turn, isThere, step]);
}
