import { type Address, goTo } from "../address.js";
import type { OpenThread } from "../client/open-thread.js";
import { Button } from "../parts/button.js";
import { Chip } from "../parts/chip.js";
import { CopyButton } from "../parts/copy-button.js";
import { openState } from "../threads/thread-state.js";
import { costText, counted, duration } from "../turn/amounts.js";
import { capital } from "../turn/sentences.js";
import { Mark } from "./mark.js";
import "./top-bar.css";

/** The name of the page; the title of the thread, how it stands, and what it took. */
export function TopBar({
  address,
  thread,
  onKeys,
}: {
  readonly address: Address;
  readonly thread: OpenThread;
  readonly onKeys: () => void;
}) {
  const title = titleOf(thread);
  const state = openState(thread);
  return (
    <header className="top">
      <Button
        aria-expanded={address.part === "threads"}
        onClick={() => goTo({ ...address, part: address.part === "threads" ? undefined : "threads" })}
      >
        Threads
      </Button>
      <a className="top-name" href="#/" aria-label="Glassloop: a new thread">
        <Mark />
        <span>Glassloop</span>
      </a>
      <h1 className={title === undefined ? "only-spoken" : "on-one-line"}>
        <bdi>{title ?? "Glassloop"}</bdi>
      </h1>
      {state && (
        <Chip tone={state.tone}>
          <i className="dot" />
          {capital(state.word)}
        </Chip>
      )}
      <span className="top-totals muted number">{totalsOf(thread)}</span>
      {title !== undefined && <CopyButton text={() => location.href}>Copy link</CopyButton>}
      <Button kind="flat" aria-label="All keys" aria-keyshortcuts="?" onClick={onKeys}>
        <kbd>?</kbd>
      </Button>
    </header>
  );
}

/** The title of a thread: its first question. */
export function titleOf({ listed, turns }: OpenThread): string | undefined {
  return listed?.title ?? listed?.lastQuestion ?? turns[0]?.asked;
}

/** What a thread took: turns, the time in which its agent worked, money. The time is only known if all turns are loaded. */
function totalsOf({ listed, turns, hasOlder }: OpenThread): string {
  const number = Math.max(listed?.turns ?? 0, turns.at(-1)?.number ?? 0);
  if (number === 0) return "";
  const worked = hasOlder ? 0 : turns.reduce((total, { workedMs = 0 }) => total + workedMs, 0);
  const parts = [
    counted(number, "turn"),
    worked > 0 && duration(worked),
    listed?.cost?.dollars && costText(listed.cost),
  ];
  return parts.filter((part) => part).join(" · ");
}
