import type { KeyboardEventHandler } from "react";
import { writeAddress } from "../address.js";
import { costText, timeOfDay } from "../turn/amounts.js";
import type { ListedThread } from "../wire.js";
import { listedState, waitsFor } from "./thread-state.js";

/** A thread in the list: its first question, how it stands, when it was written, and what it cost. */
export function ThreadRow({
  thread,
  isChosen,
  isTabStop,
  onKeyDown,
}: {
  readonly thread: ListedThread;
  readonly isChosen: boolean;
  readonly isTabStop: boolean;
  readonly onKeyDown: KeyboardEventHandler;
}) {
  const { id, title = thread.lastQuestion, status, graph, updatedAt, cost } = thread;
  const state = listedState(thread);
  const words = status === "waiting" ? waitsFor(thread.waiting) : state?.word;
  return (
    <a
      className="thread"
      href={writeAddress({ thread: id })}
      aria-current={isChosen || undefined}
      tabIndex={isTabStop ? 0 : -1}
      data-thread={id}
      onKeyDown={onKeyDown}
    >
      <bdi className="thread-title">{title ?? "Without a question"}</bdi>
      <span className="thread-facts">
        {state === undefined || state.tone === "good" ? (
          <bdi className="on-one-line">{graph}</bdi>
        ) : (
          <span className="on-one-line" data-tone={state.tone}>
            {words}
          </span>
        )}
        <time className="number" dateTime={updatedAt}>
          {status === "waiting" ? timeOfDay(thread.waitsSince ?? updatedAt) : clock(updatedAt)}
        </time>
        {cost && cost.dollars > 0 && <span className="number">{costText(cost)}</span>}
      </span>
    </a>
  );
}

/** The day of a thread is the head of its group. */
function clock(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
