import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useAddress } from "../address.js";
import type { OpenThread } from "../client/open-thread.js";
import { useAbout } from "../client/use-about.js";
import { Button } from "../parts/button.js";
import { Note } from "../parts/note.js";
import { Composer } from "./composer.js";
import { FirstMinute } from "./first-minute.js";
import { TurnView } from "./turn-view.js";
import { useQueue } from "./use-queue.js";
import { useChosenInView, useFollowing, usePrepended } from "./use-scrolling.js";
import { ViewerContext, viewerOf } from "./viewer.js";
import "./conversation.css";

/** The turns of a thread as a conversation, and the field for the next question. */
export function Conversation({ thread }: { readonly thread: OpenThread }) {
  const { about } = useAbout();
  const agents = about?.agents ?? [];
  const [chosen, setChosen] = useState<string>();
  const agent = thread.id === undefined ? (chosen ?? thread.agent) : thread.agent;
  const { waiting, askNext } = useQueue(thread, agent);
  const isEmpty = thread.turns.length === 0 && (thread.id === undefined || thread.listed?.turns === 0);
  return (
    <ViewerContext value={viewerOf(about)}>
      <div className="talk">
        {isEmpty ? (
          <FirstMinute agent={agents.find(({ name }) => name === agent)} onAsk={askNext} />
        ) : (
          <Turns key={thread.id} thread={thread} />
        )}
        <div className="talk-end">
          {waiting.map((question, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same can be asked twice
            <p key={index} className="queued on-one-line" dir="auto">
              <span className="of-person">Waits its turn:</span> {question}
            </p>
          ))}
          {thread.problem && <Note tone="bad">{thread.problem}</Note>}
          <Composer thread={thread} agent={agent} agents={agents} onAgent={setChosen} onAsk={askNext} />
        </div>
      </div>
    </ViewerContext>
  );
}

/** The height of the room above the first turn, and with a button there. */
const ABOVE = { nothing: 12, button: 44 };
/** So near to the first turn the older ones are loaded. */
const NEAR_FIRST = 400;

/** The turns, of which only those in view are drawn. */
function Turns({ thread }: { readonly thread: OpenThread }) {
  const { turns, hasOlder } = thread;
  const address = useAddress();
  const list = useRef<HTMLDivElement>(null);
  const virtual = useRef<VirtualizerHandle>(null);
  const [isLoading, setLoading] = useState(false);
  const isPrepended = usePrepended(turns);
  const above = hasOlder ? ABOVE.button : ABOVE.nothing;
  useFollowing(list, address.turn === undefined);
  useChosenInView(list, virtual, turns, address);
  const loadOlder = useEffectEvent(async () => {
    if (!hasOlder || isLoading) return;
    setLoading(true);
    await thread.loadOlder();
    setLoading(false);
  });
  const isMissing = address.turn !== undefined && address.turn < (turns[0]?.number ?? 0);
  useEffect(() => {
    if (isMissing && !isLoading) void loadOlder();
  }, [isMissing, isLoading]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled by keyboard
    <section className="turns" ref={list} tabIndex={0} aria-label="Conversation">
      <div className="turns-inside">
        <div className="above" style={{ height: above }}>
          {hasOlder && (
            <Button kind="flat" disabled={isLoading} onClick={() => thread.loadOlder()}>
              {isLoading ? "Loading older turns …" : "Older turns"}
            </Button>
          )}
        </div>
        {turns.length === 0 && <p className="muted">Loading …</p>}
        <Virtualizer
          ref={virtual}
          scrollRef={list}
          startMargin={above}
          shift={isPrepended}
          keepMounted={turns.length > 0 ? [turns.length - 1] : []}
          onScroll={(offset) => offset < NEAR_FIRST && loadOlder()}
        >
          {turns.map((turn, index) => (
            <TurnView
              key={turn.number}
              turn={turn}
              thread={thread}
              isNewest={index === turns.length - 1}
              chosen={turn.number === address.turn ? address.step : undefined}
            />
          ))}
        </Virtualizer>
      </div>
    </section>
  );
}
