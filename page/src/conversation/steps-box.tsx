import { type ReactNode, useEffect, useState } from "react";
import { count, counted, duration } from "../turn/amounts.js";
import { turnNote } from "../turn/sentences.js";
import type { Turn } from "../turn/turn.js";
import { linesInShort, linesOf, stepOf } from "./lines.js";
import { StepLine } from "./step-line.js";

/** More lines are folded when the turn has ended well. */
const MOST_LINES = 6;
/** Of more lines only so many of the last ones are shown, until somebody asks for all. */
const LAST_LINES = 200;

/** What a turn did, line by line. */
export function StepsBox({
  turn,
  thread,
  chosen,
}: {
  readonly turn: Turn;
  readonly thread: string | undefined;
  /** The number of the step that is shown beside. */
  readonly chosen: number | undefined;
}) {
  const [wish, setWish] = useState<"open" | "folded">();
  const [isWhole, setWhole] = useState(false);
  const lines = linesOf(turn);
  const now = turn.stopReason === undefined ? turn.now : undefined;
  if (lines.length === 0 && now === undefined) return null;
  const folds = endedWell(turn) && lines.length > MOST_LINES;
  const isOpen = !folds || wish === "open" || (wish === undefined && chosen !== undefined);
  const hidden = isWhole ? 0 : Math.max(0, lines.length - LAST_LINES);
  const asked = new Set(
    turn.waiting.flatMap((one) => (one.type === "approval" ? one.requests : [])).map(({ id }) => id),
  );
  const shown = isOpen ? lines.slice(hidden) : [];
  return (
    <div className="steps">
      {folds && (
        <FoldLine isOpen={isOpen} onClick={() => setWish(isOpen ? "folded" : "open")}>
          {counted(turn.steps.length, "step")} <span className="muted">{linesInShort(turn)}</span>
        </FoldLine>
      )}
      {isOpen && hidden > 0 && (
        <FoldLine isOpen={false} onClick={() => setWhole(true)}>
          <span className="muted">{count(hidden)} lines before</span>
        </FoldLine>
      )}
      {shown.map((line, index) => {
        const step = stepOf(line);
        const before = shown[index - 1];
        return (
          <StepLine
            // biome-ignore lint/suspicious/noArrayIndexKey: lines only come at the end
            key={index + hidden}
            line={line}
            turn={{ thread, turn: turn.number }}
            isFirst={before === undefined || stepOf(before) !== step}
            isChosen={step !== undefined && step.number === chosen}
            waits={line.kind === "call" && asked.has(line.call.id)}
          />
        );
      })}
      {now && <NowLine {...now} />}
    </div>
  );
}

/** Whether a turn is over, and nothing has to be said about its end. */
function endedWell(turn: Turn): boolean {
  return turn.stopReason !== undefined && turn.stopReason !== "waiting" && turnNote(turn) === undefined;
}

function FoldLine({
  isOpen,
  onClick,
  children,
}: {
  readonly isOpen: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button type="button" className="line" aria-expanded={isOpen} onClick={onClick}>
      <span className="line-number" aria-hidden="true">
        {isOpen ? "▾" : "▸"}
      </span>
      <span className="what on-one-line">{children}</span>
    </button>
  );
}

/** What is done now, and for how long. */
function NowLine({ node, since }: { readonly node: string; readonly since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const passed = now - Date.parse(since);
  return (
    <div className="line">
      <span className="live-dot" aria-hidden="true" />
      <span className="what muted">{node}</span>
      <span className="line-time number">{passed >= 500 ? duration(passed) : ""}</span>
    </div>
  );
}
