import { useEffect, useEffectEvent } from "react";
import type { OpenThread } from "../client/open-thread.js";
import type { Turn } from "../turn/turn.js";

/** Who scrolls past a turn does not need all of it. */
const LOOKED_AT_MS = 300;

/** Loads a turn with all of its texts when it is looked at. Until then only the beginnings of them are there. */
export function useWhole({ number, kept }: Turn, { loadWhole }: OpenThread): void {
  const isInPart = kept !== undefined && !kept.isWhole;
  const load = useEffectEvent(() => void loadWhole(number));
  useEffect(() => {
    if (!isInPart) return;
    const timer = setTimeout(load, LOOKED_AT_MS);
    return () => clearTimeout(timer);
  }, [isInPart]);
}
