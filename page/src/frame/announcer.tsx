import { useEffect, useState } from "react";
import type { ThreadState } from "../threads/thread-state.js";

/** Says in the title of the window, and to those who do not see the page, how the thread stands: not each word, but what it came to. */
export function Announcer({
  thread,
  title,
  state,
}: {
  readonly thread: string | undefined;
  readonly title: string | undefined;
  readonly state: ThreadState | undefined;
}) {
  const word = state?.word;
  const [heard, setHeard] = useState({ thread, word, says: "" });
  if (heard.thread !== thread || heard.word !== word) {
    const isNews = heard.thread === thread && heard.word !== undefined;
    setHeard({ thread, word, says: isNews ? (state?.says ?? "") : "" });
  }
  useEffect(() => {
    document.title = windowTitle(title, state);
  }, [title, state]);
  return (
    <p className="only-spoken" role="status">
      {heard.says}
    </p>
  );
}

/** `● waits for you – Ann writes …`: what wants a look has a point. */
export function windowTitle(title: string | undefined, state: ThreadState | undefined): string {
  if (title === undefined) return "Glassloop";
  if (state === undefined) return `${title} – Glassloop`;
  return `${state.tone === "person" || state.tone === "bad" ? "● " : ""}${state.word} – ${title}`;
}
