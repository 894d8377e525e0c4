import { useEffect, useMemo } from "react";
import { ListStore } from "./list-store.js";
import { useObservable } from "./observable.js";
import { thisServer } from "./this-server.js";

const store = new ListStore(thisServer);

/** The list of threads, which follows what any program does with them. */
export function useThreadList() {
  const state = useObservable(store);
  useEffect(() => store.open(), []);
  return useMemo(
    () => ({ ...state, loadMore: () => store.loadMore(), search: (text: string) => store.search(text) }),
    [state],
  );
}
