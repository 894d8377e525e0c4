import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "../parts/button.js";
import { Chip } from "../parts/chip.js";
import { LongText } from "../parts/long-text.js";
import { decisionSentence } from "../turn/sentences.js";
import type { WaitingRequest } from "../wire.js";
import { type Choices, choiceOf, fieldsOf, leftOutOf } from "./decision.js";
import { useDraft } from "./use-draft.js";
import { WordsField } from "./words-field.js";

/** A call that waits: what it would do, why it is asked, and what can be decided. */
export function DecisionCard({
  request,
  place,
  chosen,
  isBusy,
  onChoose,
}: {
  readonly request: WaitingRequest;
  /** Which of several calls it is, such as "1 of 2". */
  readonly place: string | undefined;
  readonly chosen: Choices[string] | undefined;
  readonly isBusy: boolean;
  /** Left out if the reader may not decide. */
  readonly onChoose: ((choice: Choices[string] | undefined) => void) | undefined;
}) {
  const { tool, why, complaint, note, description } = request;
  const leftOut = leftOutOf(request);
  const head = useId();
  return (
    <section className="card" aria-labelledby={head}>
      <header>
        <h3 id={head} className="tool">
          {tool}
        </h3>
        {place && <Chip tone="person">{place}</Chip>}
        <span className="muted on-one-line">{description}</span>
      </header>
      <ul className="why">{[complaint, why, note].map((text) => text && <li key={text}>{text}</li>)}</ul>
      <dl className="input-fields">
        {fieldsOf(request).map(({ name, value, wrote }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <LongText text={value} />
              {wrote !== undefined && <Changed wrote={wrote} />}
            </dd>
          </div>
        ))}
      </dl>
      {leftOut && (
        <p className="changed">
          The model also wrote <del dir="auto">{leftOut}</del>
        </p>
      )}
      {chosen ? (
        <div className="row">
          <span className="of-person grow">{capitalYou(decisionSentence(chosen))}</span>
          <Button kind="flat" disabled={isBusy} onClick={() => onChoose?.(undefined)}>
            Change
          </Button>
        </div>
      ) : (
        onChoose && <Ways request={request} isBusy={isBusy} onChoose={onChoose} />
      )}
    </section>
  );
}

const capitalYou = (sentence: string) => `${sentence.replace(/^you/, "You")}.`;

function Changed({ wrote }: { readonly wrote: string | null }): ReactNode {
  return (
    <p className="changed">
      {wrote === null ? (
        "added: the model did not write it"
      ) : (
        <>
          changed from what the model wrote: <del dir="auto">{wrote}</del>
        </>
      )}
    </p>
  );
}

/** The ways to decide. The keys A and R lead to them, Enter decides. */
function Ways({
  request,
  isBusy,
  onChoose,
}: {
  readonly request: WaitingRequest;
  readonly isBusy: boolean;
  readonly onChoose: (choice: Choices[string]) => void;
}) {
  const { allowed, id } = request;
  const [words, setWords] = useDraft(`decision:${id}`);
  const [isRefusing, setRefusing] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isRefusing) field.current?.focus();
  }, [isRefusing]);
  const isAnswer = allowed.includes("answer") && !allowed.includes("approve");
  const isWriting = isAnswer || isRefusing || words !== "";
  const choose = (type: "approve" | "refuse" | "answer") => onChoose(choiceOf(request, type, words));
  return (
    <div className="ways">
      {allowed.includes("approve") && (
        <Button kind="main" data-key="a" disabled={isBusy} onClick={() => choose("approve")}>
          Approve <kbd>A</kbd>
        </Button>
      )}
      {isWriting && (
        <WordsField
          ref={field}
          label={isAnswer ? "Your answer" : "Why not? The model reads it."}
          words={words}
          hotkey={isAnswer ? "a" : "r"}
          onWords={setWords}
          onEnter={() => (isAnswer ? words.trim() !== "" && choose("answer") : choose("refuse"))}
        />
      )}
      {isAnswer && (
        <Button kind="main" disabled={isBusy || words.trim() === ""} onClick={() => choose("answer")}>
          Answer <kbd>A</kbd>
        </Button>
      )}
      {allowed.includes("refuse") && (
        <Button
          data-key={isAnswer || !isWriting ? "r" : undefined}
          aria-expanded={isWriting ? undefined : false}
          disabled={isBusy}
          onClick={() => (isWriting ? choose("refuse") : setRefusing(true))}
        >
          {isAnswer ? "Do not answer" : isWriting ? "Refuse" : "Refuse…"} <kbd>R</kbd>
        </Button>
      )}
    </div>
  );
}
