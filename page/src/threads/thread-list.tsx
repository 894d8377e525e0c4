import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { goTo } from "../address.js";
import { useThreadList } from "../client/use-thread-list.js";
import { movedInList } from "../frame/keys.js";
import { Button } from "../parts/button.js";
import { focusRow } from "./focus-row.js";
import { listRows } from "./list-rows.js";
import { ThreadRow } from "./thread-row.js";
import "./threads.css";

/** The threads: what waits for a person first, then the others by day; and a field that searches their texts. */
export function ThreadList({ chosen, foot }: { readonly chosen: string | undefined; readonly foot: string }) {
  const { threads, text, isLoading, problem, search, loadMore } = useThreadList();
  const today = new Date().toDateString();
  const rows = useMemo(() => listRows(threads, new Date(today)), [threads, today]);
  const places = useMemo(() => rows.flatMap((row, place) => ("thread" in row ? [place] : [])), [rows]);

  const list = useRef<VirtualizerHandle>(null);
  const [reached, setReached] = useState(chosen);
  const placeOf = (id: string | undefined) => rows.findIndex((row) => "thread" in row && row.thread.id === id);
  const [first = 0] = places;
  const tabStop = [placeOf(reached), placeOf(chosen), first].find((place) => place >= 0) ?? 0;
  const isListed = placeOf(chosen) >= 0;
  const showChosen = useEffectEvent(() => {
    setReached(chosen);
    list.current?.scrollToIndex(placeOf(chosen), { align: "nearest" });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a thread is shown when it is chosen, or comes into the list.
  useEffect(() => {
    if (isListed) showChosen();
  }, [chosen, isListed]);

  function reach(place: number | undefined) {
    const row = place === undefined ? undefined : rows[place];
    if (place === undefined || row === undefined || !("thread" in row)) return;
    flushSync(() => setReached(row.thread.id));
    list.current?.scrollToIndex(place, { align: "nearest" });
    focusRow(`.thread[data-thread="${CSS.escape(row.thread.id)}"]`);
  }
  function onKeyInList(event: KeyboardEvent) {
    const moved = movedInList(event.key, places.indexOf(tabStop), places.length);
    if (moved === undefined) return;
    event.preventDefault();
    reach(places[moved]);
  }
  function onKeyInField(event: KeyboardEvent) {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    reach(first);
  }
  function onScroll(offset: number) {
    const { current: shown } = list;
    if (shown && shown.findItemIndex(offset + shown.viewportSize) > rows.length - 20) loadMore();
  }

  return (
    <nav className="threads" aria-label="Threads">
      <div className="threads-top">
        <input
          id="thread-search"
          className="field"
          type="search"
          placeholder="Search threads"
          aria-label="Search threads"
          aria-keyshortcuts="/"
          value={text}
          onChange={(event) => search(event.target.value)}
          onKeyDown={onKeyInField}
        />
        <Button aria-label="New thread" onClick={() => goTo({})}>
          New
        </Button>
      </div>
      {problem !== undefined && <p className="threads-none">{problem}</p>}
      {rows.length === 0 && !isLoading && problem === undefined && (
        <p className="threads-none">
          {text.trim() === "" ? (
            "No threads yet"
          ) : (
            <>
              Nothing found for <bdi>“{text.trim()}”</bdi>.
            </>
          )}
        </p>
      )}
      <div className="threads-rows">
        <Virtualizer ref={list} as="ul" item="li" data={rows} keepMounted={[tabStop]} onScroll={onScroll}>
          {(row, place) =>
            "head" in row ? (
              <h2 key={row.head}>{row.head}</h2>
            ) : (
              <ThreadRow
                key={row.thread.id}
                thread={row.thread}
                isChosen={row.thread.id === chosen}
                isTabStop={place === tabStop}
                onKeyDown={onKeyInList}
              />
            )
          }
        </Virtualizer>
      </div>
      <footer className="muted">{foot}</footer>
    </nav>
  );
}
