import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { type Address, goTo, useAddress, writeAddress } from "./address.js";
import type { OpenThread } from "./client/open-thread.js";
import { serverAddress } from "./client/server.js";
import { thisServer, useConnection } from "./client/this-server.js";
import { aboutStore, useAbout } from "./client/use-about.js";
import { useOpenThread } from "./client/use-open-thread.js";
import { Conversation } from "./conversation/conversation.js";
import { Announcer } from "./frame/announcer.js";
import { ErrorBoundary } from "./frame/error-boundary.js";
import { KeyForm } from "./frame/key-form.js";
import { type KeyAction, useKeys } from "./frame/keys.js";
import { KeysDialog } from "./frame/keys-dialog.js";
import { MissingThread } from "./frame/missing-thread.js";
import { paneOf, placeAbove, shownTurn, stepBeside } from "./frame/places.js";
import { isPlain, PlainThread } from "./frame/plain-thread.js";
import { ServerBar } from "./frame/server-bar.js";
import { Tabs } from "./frame/tabs.js";
import { TopBar, titleOf } from "./frame/top-bar.js";
import { useFocus } from "./frame/use-focus.js";
import { LoopPane } from "./loop/loop-pane.js";
import { sections } from "./step/section.js";
import { StepPane } from "./step/step-pane.js";
import { focusRow } from "./threads/focus-row.js";
import { ThreadList } from "./threads/thread-list.js";
import { openState } from "./threads/thread-state.js";

/** The page, or the question for the key of the server. */
export function Page() {
  const { asksKey } = useAbout();
  return asksKey ? <KeyForm server={serverAddress.host} /> : <Panes />;
}

/** Threads, the conversation, the loop and a step. */
function Panes() {
  const address = useAddress();
  const thread = useOpenThread(address.thread);
  const { about } = useAbout();
  const connection = useConnection();
  const keys = useRef<HTMLDialogElement>(null);
  // A server that was gone when the page asked what it has is asked again when it is back.
  useEffect(() => {
    if (!connection.isGone) aboutStore.ask();
  }, [connection.isGone]);
  useFocus(address);
  useKeys((action) => act(action, address, thread, keys.current));
  const pane = paneOf(address);
  const place = writeAddress(address);
  const server = serverAddress.host;
  return (
    <div className="page" data-pane={pane} data-wide={address.thread === undefined || isPlain(thread) || undefined}>
      <TopBar address={address} thread={thread} onKeys={() => keys.current?.showModal()} />
      <Announcer thread={thread.id} title={titleOf(thread)} state={openState(thread)} />
      {connection.isGone && (
        <ServerBar server={server} againAt={connection.againAt} onTry={() => thisServer.connection.tryNow()} />
      )}
      <ErrorBoundary name="The list of threads" className="threads" place={place}>
        <ThreadList chosen={address.thread} foot={about ? `${server} · ${about.version}` : server} />
      </ErrorBoundary>
      <main className="panes">
        <ErrorBoundary name="The conversation" className="talk" place={place}>
          <Talk thread={thread} />
        </ErrorBoundary>
        <Side address={address} thread={thread} />
      </main>
      <Tabs address={address} shown={pane} />
      <KeysDialog ref={keys} />
    </div>
  );
}

/** The conversation, or why there is none. */
function Talk({ thread }: { readonly thread: OpenThread }) {
  const { id, listed, turns, problem } = thread;
  const isMissing = id !== undefined && listed === undefined && turns.length === 0 && problem !== undefined;
  if (isMissing) return <MissingThread why={problem} />;
  return isPlain(thread) ? <PlainThread thread={thread} /> : <Conversation thread={thread} />;
}

/** The loop and a step of the turn that is shown. */
function Side({ address, thread }: { readonly address: Address; readonly thread: OpenThread }) {
  const turn = isPlain(thread) ? undefined : shownTurn(thread.turns, address);
  const place = writeAddress(address);
  return (
    <div className="side">
      {turn === undefined ? (
        <p className="message-pane muted">What a turn does, and why, is shown here.</p>
      ) : (
        <>
          <ErrorBoundary name="The loop" className="loop-pane" place={place}>
            <LoopPane thread={thread} turn={turn} step={address.step} />
          </ErrorBoundary>
          <ErrorBoundary name="The step" className="step-pane" place={place}>
            <StepPane thread={thread} turn={turn} step={address.step} />
          </ErrorBoundary>
        </>
      )}
    </div>
  );
}

/** Does what a key says. */
function act(action: KeyAction, address: Address, thread: OpenThread, keys: HTMLDialogElement | null): void {
  if (action === "keys") keys?.showModal();
  else if (action === "search") inThreads(address, () => document.getElementById("thread-search")?.focus());
  else if (action === "threads") inThreads(address, focusRow);
  else if (action === "back") goTo(placeAbove(address));
  else if (typeof action === "object") openSection(action.section, address, thread);
  else {
    const place = stepBeside(thread.turns, address, action === "next-step" ? 1 : -1);
    if (place) goTo(place);
  }
}

/** Does something in the list of threads, which may have to be shown for that. */
function inThreads(address: Address, action: () => void): void {
  const isHidden = document.querySelector<HTMLElement>(".threads")?.offsetParent === null;
  if (isHidden) flushSync(() => goTo({ ...address, part: "threads" }));
  action();
}

function openSection(number: number, address: Address, thread: OpenThread): void {
  const turn = shownTurn(thread.turns, address);
  const step = address.step ?? turn?.steps.at(-1)?.number;
  if (turn && step) goTo({ thread: address.thread, turn: turn.number, step, part: sections[number - 1] });
}
