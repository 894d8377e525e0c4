import { type RefObject, useEffect, useRef, useState } from "react";
import type { OpenThread } from "../client/open-thread.js";
import { Button } from "../parts/button.js";
import { LongText } from "../parts/long-text.js";
import { Note } from "../parts/note.js";
import { decisionSentence } from "../turn/sentences.js";
import type { Turn } from "../turn/turn.js";
import type { WaitingQuestion, WaitingRequest } from "../wire.js";
import { approveRest, type Choices, canApproveAll, undecided } from "./decision.js";
import { DecisionCard } from "./decision-card.js";
import { valueWords } from "./input-point.js";
import { useDraft } from "./use-draft.js";
import { useViewer } from "./viewer.js";
import { WordsField } from "./words-field.js";
import "./waiting.css";

/** What a turn asks a person. A question that somebody else answered stays with their decision, until it is closed. */
export function Waiting({ turn, thread }: { readonly turn: Turn; readonly thread: OpenThread }) {
  const [asked, setAsked] = useState(turn.waiting);
  const [sent, setSent] = useState<readonly string[]>([]);
  const [sending, setSending] = useState<string>();
  if (turn.waiting.length > 0 && turn.waiting !== asked) setAsked(turn.waiting);
  async function answer(interrupt: string, value: unknown) {
    setSending(interrupt);
    setSent((before) => [...before, interrupt]);
    const isTaken = await thread.answer(interrupt, value);
    if (!isTaken) setSent((before) => before.filter((one) => one !== interrupt));
    setSending(undefined);
  }
  if (turn.waiting.length === 0) {
    const overtaken = asked.filter(({ interrupt }) => !sent.includes(interrupt));
    return overtaken.map((question) => (
      <Overtaken key={question.interrupt} question={question} turn={turn} onClose={() => setAsked([])} />
    ));
  }
  return turn.waiting.map((question) => {
    const props = { isBusy: sending !== undefined, onAnswer: (value: unknown) => answer(question.interrupt, value) };
    return question.type === "approval" ? (
      <Approval key={question.interrupt} question={question} {...props} />
    ) : (
      <OpenQuestion key={question.interrupt} question={question} {...props} />
    );
  });
}

interface QuestionProps<Type extends WaitingQuestion["type"]> {
  readonly question: Extract<WaitingQuestion, { type: Type }>;
  readonly isBusy: boolean;
  readonly onAnswer: (value: unknown) => void;
}

/** Calls about which a person decides, one by one or all together. The answer goes when the last one is decided. */
function Approval({ question, isBusy, onAnswer }: QuestionProps<"approval">) {
  const requests: readonly WaitingRequest[] = question.requests;
  const [choices, setChoices] = useState<Choices>({});
  const { may } = useViewer();
  const cards = useRef<HTMLDivElement>(null);
  useDecisionKeys(cards);
  function choose(next: Choices) {
    setChoices(next);
    if (undecided(requests, next).length === 0) onAnswer(next);
  }
  return (
    <div className="cards" ref={cards}>
      {question.complaints.map((complaint) => (
        <Note key={complaint} tone="person">
          {complaint}
        </Note>
      ))}
      {requests.map((request, index) => (
        <DecisionCard
          key={request.id}
          request={request}
          place={requests.length > 1 ? `${index + 1} of ${requests.length}` : undefined}
          chosen={choices[request.id]}
          isBusy={isBusy}
          onChoose={
            may.includes("decide")
              ? (choice) => {
                  const { [request.id]: _, ...others } = choices;
                  choose(choice ? { ...others, [request.id]: choice } : others);
                }
              : undefined
          }
        />
      ))}
      {!may.includes("decide") && <p className="muted">Somebody who may decide is asked.</p>}
      {may.includes("decide") && canApproveAll(requests) && (
        <div className="row muted">
          <span className="grow">No call runs before all are decided.</span>
          <Button disabled={isBusy} onClick={() => choose(approveRest(requests, choices))}>
            {undecided(requests, choices).length < requests.length ? "Approve the rest" : "Approve all"}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The keys A and R lead to the first call about which nothing is chosen yet. Enter then decides. */
function useDecisionKeys(cards: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      const isTyping = target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
      if (isTyping || ctrlKey || metaKey || altKey || !/^[ar]$/.test(key)) return;
      const way = cards.current?.querySelector<HTMLElement>(`[data-key="${key}"]`);
      event.preventDefault();
      // To refuse begins with a field for words.
      if (way?.ariaExpanded === "false") way.click();
      way?.focus();
      way?.scrollIntoView({ block: "nearest" });
    }
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [cards]);
}

/** What a tool asks in its own words. */
function OpenQuestion({ question, isBusy, onAnswer }: QuestionProps<"interrupt">) {
  const [words, setWords] = useDraft(`question:${question.interrupt}`);
  const { may } = useViewer();
  function send() {
    if (words.trim() !== "" && !isBusy) onAnswer(words.trim());
  }
  return (
    <section className="card" aria-label="A question to you">
      <LongText text={questionText(question.value)} />
      {may.includes("decide") && (
        <div className="ways">
          <WordsField label="Your answer" words={words} onWords={setWords} onEnter={send} />
          <Button kind="main" disabled={isBusy || words.trim() === ""} onClick={send}>
            Answer
          </Button>
        </div>
      )}
    </section>
  );
}

function questionText(value: unknown): string {
  const asked = typeof value === "object" && value !== null && "question" in value ? value.question : value;
  return valueWords(asked);
}

/** A question that somebody else answered first: who, and how. What was typed here is kept. */
function Overtaken({
  question,
  turn,
  onClose,
}: {
  readonly question: WaitingQuestion;
  readonly turn: Turn;
  readonly onClose: () => void;
}) {
  const { name } = useViewer();
  const calls = turn.steps.flatMap((step) => step.calls);
  const decided =
    question.type === "approval" ? question.requests.map(({ id }) => calls.find((call) => call.id === id)) : [];
  const ids =
    question.type === "approval"
      ? question.requests.map(({ id }) => `decision:${id}`)
      : [`question:${question.interrupt}`];
  return (
    <section className="card" aria-label="Decided by somebody else">
      {decided.map(
        (call) =>
          call?.decision && (
            <p key={call.id}>
              <strong className="tool">{call.tool}</strong>: {decisionSentence(call.decision, call.decided, name)}.
            </p>
          ),
      )}
      {!decided.some((call) => call?.decision) && <p>This was decided elsewhere.</p>}
      {ids.map((id) => (
        <TypedWords key={id} name={id} />
      ))}
      <div className="ways">
        <Button onClick={onClose}>Close</Button>
      </div>
    </section>
  );
}

function TypedWords({ name }: { readonly name: string }) {
  const [words, setWords] = useDraft(name);
  if (words === "") return null;
  return <WordsField label="What you typed" words={words} onWords={setWords} onEnter={() => {}} />;
}
