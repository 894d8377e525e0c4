import { placeBelow } from "../client/parts.js";
import { Note } from "../parts/note.js";
import { count, counted, duration } from "../turn/amounts.js";
import { noteSentence } from "../turn/sentences.js";
import type { AskedModel, Step } from "../turn/turn.js";
import type { KeptStep } from "./answers.js";
import { Data } from "./data.js";
import { NativeCalls } from "./message.js";
import { Facts, Fold, inParts, Some } from "./section.js";

/** What is said of a reply beside its title. */
export function replyMeta({ model, firstMs, ms, tries = 1, outputTokens }: Partial<AskedModel> = {}): string {
  return inParts(
    model,
    firstMs !== undefined && `first word after ${duration(firstMs)}`,
    ms !== undefined && duration(ms),
    tries > 1 && counted(tries, "try", "tries"),
    outputTokens !== undefined && `${count(outputTokens)} tokens`,
  );
}

interface ReplyProps {
  readonly step: Step;
  /** What came of it so far. */
  readonly writing: string;
  readonly kept: KeptStep | undefined;
}

/** What the model wrote: its reasoning folded, its words, its native calls. */
export function ReplyView({ step, writing, kept }: ReplyProps) {
  const {
    text = step.text ?? step.thought ?? writing,
    toolCalls = [],
    invalidToolCalls = [],
    finishReason,
  } = kept?.step.reply ?? {};
  const place = kept && placeBelow(kept.place, "reply");
  const isEmpty = text === "" && toolCalls.length + invalidToolCalls.length === 0;
  return (
    <>
      <Some items={step.notes}>{(note) => <Note tone="person">{noteSentence(note)}</Note>}</Some>
      {step.reasoning !== undefined && (
        <Fold title="Reasoning">
          <Data value={step.reasoning} />
        </Fold>
      )}
      <div className="message">
        <span className="role">model</span>
        <div>
          {text !== "" && <Data value={text} place={place && placeBelow(place, "text")} />}
          <NativeCalls calls={toolCalls} place={place && placeBelow(place, "toolCalls")} />
          <NativeCalls calls={invalidToolCalls} place={place && placeBelow(place, "invalidToolCalls")} />
          {isEmpty && <span className="muted">{step.kind ? "The reply has no text." : "Nothing came yet."}</span>}
        </div>
      </div>
      <Facts facts={{ "finish reason": finishReason }} />
    </>
  );
}
