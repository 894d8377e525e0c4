import { useEffect, useMemo, useRef } from "react";
import { goTo } from "../address.js";
import { useObservable } from "./observable.js";
import type { OpenThread } from "./open-thread.js";
import { thisServer } from "./this-server.js";
import { ThreadStore } from "./thread-store.js";
import { useAbout } from "./use-about.js";

/** Opens a thread, and follows it; a new one without an id. */
export function useOpenThread(id: string | undefined): OpenThread {
  const store = useThreadStore(id);
  const state = useObservable(store);
  const { about } = useAbout();
  useEffect(() => store.open(), [store]);
  return useMemo(() => {
    const agent = state.listed?.graph ?? about?.agents[0]?.name ?? "";
    return {
      ...state,
      agent,
      ask: async (question, chosen = agent) => {
        const isDone = await store.ask(question, state.listed?.graph ?? chosen);
        const { id: made } = store.get();
        if (id === undefined && made !== undefined) goTo({ thread: made });
        return isDone;
      },
      answer: (interrupt, value) => store.answer(interrupt, value, agent),
      stop: async () => void (await store.stop()),
      regenerate: async () => void (await store.regenerate()),
      goOn: async () => void (await store.goOn()),
      loadOlder: () => store.loadOlder(),
      loadWhole: (number) => store.loadWhole(number),
    };
  }, [state, about, store, id]);
}

/** A new thread keeps its store when it gets its id. */
function useThreadStore(id: string | undefined): ThreadStore {
  const kept = useRef<ThreadStore>(null);
  if (kept.current === null || kept.current.get().id !== id) kept.current = new ThreadStore(thisServer, id);
  return kept.current;
}
