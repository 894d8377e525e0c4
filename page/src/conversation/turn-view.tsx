import { writeAddress } from "../address.js";
import type { OpenThread } from "../client/open-thread.js";
import { Button } from "../parts/button.js";
import { CopyButton } from "../parts/copy-button.js";
import { LongText } from "../parts/long-text.js";
import { Note } from "../parts/note.js";
import { costText, count, duration, share, timeOfDay } from "../turn/amounts.js";
import { turnNote } from "../turn/sentences.js";
import type { Turn } from "../turn/turn.js";
import { Answer } from "./answer.js";
import { oneLine } from "./one-line.js";
import { StepsBox } from "./steps-box.js";
import { useWhole } from "./use-whole.js";
import { useViewer } from "./viewer.js";
import { Waiting } from "./waiting.js";
import "./turn-view.css";

/** A longer question is a text below its first words. */
const LONG_QUESTION = 2_000;

/** A turn: the question, what was done, and the answer. */
export function TurnView({
  turn,
  thread,
  isNewest,
  chosen,
}: {
  readonly turn: Turn;
  readonly thread: OpenThread;
  readonly isNewest: boolean;
  /** The number of the step that is shown beside, if it is one of this turn. */
  readonly chosen: number | undefined;
}) {
  const { number, startedAt, asked, question } = turn;
  const place = writeAddress({ thread: thread.id, turn: number });
  useWhole(turn, thread);
  return (
    <article className="turn" aria-label={`Turn ${number}`}>
      <a className="turn-head number" href={place}>
        {`Turn ${number}`}
        {startedAt && <time dateTime={startedAt}>{` · ${timeOfDay(startedAt)}`}</time>}
      </a>
      <h2 className="asked" dir="auto">
        {asked.length > LONG_QUESTION ? oneLine(asked) : asked}
      </h2>
      {asked.length > LONG_QUESTION && <LongText text={asked} />}
      {question !== undefined && question !== asked && (
        <p className="muted" dir="auto">
          Understood as: {question}
        </p>
      )}
      <StepsBox turn={turn} thread={thread.id} chosen={chosen} />
      {isNewest && <Waiting turn={turn} thread={thread} />}
      <EndNote turn={turn} thread={thread} isNewest={isNewest} />
      <Answer turn={turn} thread={thread.id} />
      {turn.now === undefined && <Foot turn={turn} thread={thread} isNewest={isNewest} place={place} />}
    </article>
  );
}

interface TurnProps {
  readonly turn: Turn;
  readonly thread: OpenThread;
  readonly isNewest: boolean;
}

/** What must be said about the end of a turn, and what can be done about it. */
function EndNote({ turn, thread, isNewest }: TurnProps) {
  const { may } = useViewer();
  const note = turnNote(turn);
  if (note === undefined) return null;
  const isOffered = isNewest && thread.run === undefined && may.includes("ask");
  return (
    <Note tone={note.tone}>
      <span className="grow">{note.text}</span>
      {isOffered && note.offer === "go on" && <Button onClick={() => thread.goOn()}>Go on</Button>}
      {isOffered && note.offer === "ask again" && (
        <Button onClick={() => (may.includes("write") ? thread.regenerate() : thread.ask(turn.asked))}>
          Ask again
        </Button>
      )}
    </Note>
  );
}

/** Below the answer: what it took, and what can be done with it. */
function Foot({ turn, thread, isNewest, place }: TurnProps & { readonly place: string }) {
  const { may } = useViewer();
  const { answer, workedMs, usage, cost, stopReason, waiting } = turn;
  const price = cost && cost.dollars > 0 && costText(cost);
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens } = usage ?? {};
  const isOver = stopReason !== undefined && waiting.length === 0;
  return (
    <footer className="turn-foot number">
      {workedMs !== undefined && <span>{duration(workedMs)}</span>}
      {inputTokens > 0 && (
        <span>
          {`${count(inputTokens)} tokens in`}
          {cacheReadTokens ? `, ${share(cacheReadTokens, inputTokens)} cached` : ""}
        </span>
      )}
      {outputTokens > 0 && <span>{count(outputTokens)} out</span>}
      {price && <span>{price}</span>}
      <span className="actions">
        {isNewest && isOver && thread.run === undefined && may.includes("write") && (
          <Button kind="flat" onClick={() => thread.regenerate()}>
            Again
          </Button>
        )}
        {answer !== undefined && <CopyButton text={() => answer}>Copy</CopyButton>}
        <CopyButton text={() => new URL(place, location.href).href}>Copy link</CopyButton>
      </span>
    </footer>
  );
}
