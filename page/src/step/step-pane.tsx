import { useEffect, useState } from "react";
import { type Address, useAddress, writeAddress } from "../address.js";
import type { OpenThread } from "../client/open-thread.js";
import { useRemembered } from "../client/remembered.js";
import { CopyButton } from "../parts/copy-button.js";
import { Note } from "../parts/note.js";
import { counted } from "../turn/amounts.js";
import { stepSentence } from "../turn/sentences.js";
import type { Step, Turn } from "../turn/turn.js";
import { keptStepPath, keptSteps } from "./answers.js";
import { CallsView } from "./calls.js";
import { ChangesView } from "./changes.js";
import { Documents, hasDocuments } from "./documents.js";
import { inText } from "./pretty-json.js";
import { PromptView, promptMeta, usePrompt } from "./prompt.js";
import { QuietView } from "./quiet.js";
import { ReadingView } from "./reading.js";
import { ReplyView, replyMeta } from "./reply.js";
import { Section, type SectionName } from "./section.js";
import "./step.css";

interface PaneProps {
  readonly thread: OpenThread;
  readonly turn: Turn;
  readonly step: number | undefined;
}

/** One step of a turn: its prompt, the reply, why it was read so, the calls, and what it changed. Or the documents of the turn. */
export function StepPane({ thread, turn, step: number }: PaneProps) {
  const { part } = useAddress();
  const isLoading = turn.kept?.isWhole === false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a thread is another object with each of its changes.
  useEffect(() => {
    if (isLoading) void thread.loadWhole(turn.number);
  }, [thread.id, turn.number, turn.kept?.end, isLoading]);
  const step = number === undefined ? turn.steps.at(-1) : turn.steps.find((one) => one.number === number);
  const [, quiet] = /^quiet:(.*)$/s.exec(part ?? "") ?? [];
  const showsDocuments = hasDocuments(turn) && (part === "documents" || (part === undefined && number === undefined));
  const place: Address = { thread: thread.id, turn: turn.number, step: step?.number };
  return (
    <section className="step-pane" aria-label="The step">
      {hasDocuments(turn) && (
        <nav className="step-tabs" aria-label="The step or its documents">
          <a href={writeAddress({ ...place, part: "prompt" })} aria-current={!showsDocuments}>
            Step
          </a>
          <a href={writeAddress({ ...place, part: "documents" })} aria-current={showsDocuments}>
            Documents
          </a>
        </nav>
      )}
      {isLoading && part === "documents" ? (
        <p className="step-hint muted">Loading…</p>
      ) : showsDocuments ? (
        <Documents turn={turn} />
      ) : quiet !== undefined ? (
        <QuietView thread={thread.id} turn={turn} id={quiet} />
      ) : step !== undefined ? (
        <StepView thread={thread.id} turn={turn} step={step} place={place} part={part} />
      ) : (
        <div className="step-hint">
          {turn.error && <Note tone="bad">{turn.error.message}</Note>}
          <p className="muted">{turn.steps.length === 0 ? "This turn has no step." : "This turn has no such step."}</p>
        </div>
      )}
    </section>
  );
}

/** The words of a reply that is written now. */
function wordsSoFar({ steps, writing, answer = "" }: Turn, step: Step): string {
  return step === steps.at(-1) && step.kind === undefined ? writing || answer : "";
}

interface StepProps {
  readonly thread: string | undefined;
  readonly turn: Turn;
  readonly step: Step;
  readonly place: Address;
  readonly part: string | undefined;
}

function StepView({ thread = "", turn, step, place, part }: StepProps) {
  const [folded, setFolded] = useState<ReadonlySet<SectionName>>(new Set());
  const prompt = usePrompt(thread, turn, step.reply);
  const path = keptStepPath(thread, turn, step.number);
  const { answer } = useRemembered(keptSteps, path);
  const kept = path && answer && { step: answer.part, place: { from: path, cut: answer.cut ?? [] } };
  const reading = { step, kept: kept || undefined };
  const checkpoints = turn.kept?.checkpoints.filter((one) => one.step === step.number) ?? [];
  const isLoaded = prompt.answer !== undefined || prompt.problem !== undefined || step.reply === undefined;
  const section = (name: SectionName) => ({
    name,
    isShown: part === name && isLoaded,
    isOpen: !folded.has(name),
    onFold: (isOpen: boolean) =>
      setFolded((before) => new Set([...before].filter((one) => one !== name).concat(isOpen ? [] : [name]))),
  });
  return (
    <>
      <header className="step-head">
        <h2>{`Step ${step.number}`}</h2>
        <span className="muted">{checkpoints.flatMap(({ nodes }) => nodes).join(" → ") || likelyNodes(step)}</span>
        <span className="step-copies">
          {step.reply !== undefined && <CopyButton text={() => step.reply ?? ""}>Copy id</CopyButton>}
          <CopyButton text={() => new URL(writeAddress(place), location.href).href}>Copy link</CopyButton>
          {prompt.answer && <CopyButton text={() => inText(prompt.answer)}>Copy prompt</CopyButton>}
        </span>
        <p dir="auto">{stepSentence(step, turn.waiting)}</p>
      </header>
      {/* What is loaded or opened in a section belongs to its step. */}
      <div key={`${turn.number}.${step.number}`}>
        <Section {...section("prompt")} title="Prompt" meta={promptMeta(prompt, step.asked)}>
          <PromptView
            loaded={prompt}
            asked={step.asked}
            notYet={(step.reply === undefined || !turn.kept) && "The prompt can be seen when the reply is kept."}
          />
        </Section>
        <Section {...section("reply")} title="Reply" meta={replyMeta(step.asked)}>
          <ReplyView {...reading} writing={wordsSoFar(turn, step)} />
        </Section>
        <Section {...section("why")} title="Why it was read so" meta="">
          <ReadingView {...reading} />
        </Section>
        {step.calls.length > 0 && (
          <Section {...section("calls")} title="Calls" meta={counted(step.calls.length, "call")}>
            <CallsView {...reading} thread={thread} turn={turn} calls={step.calls} />
          </Section>
        )}
        <Section {...section("changed")} title="What it changed" meta={counted(checkpoints.length, "checkpoint")}>
          {turn.kept?.isWhole ? (
            <ChangesView thread={thread} checkpoints={checkpoints} />
          ) : (
            <p className="muted">{turn.kept ? "Loading…" : "What changed can be seen when the step is kept."}</p>
          )}
        </Section>
      </div>
    </>
  );
}

/** The nodes of a step whose checkpoints are not known. */
function likelyNodes({ kind, calls }: Step): string {
  return ["plan", ...(kind ? ["parse"] : []), ...(calls.length > 0 ? ["act"] : [])].join(" → ");
}
