import type { ReactNode } from "react";
import { type Address, writeAddress } from "../address.js";
import { duration } from "../turn/amounts.js";
import {
  callSentence,
  decisionSentence,
  hasFailed,
  noteSentence,
  searchSentence,
  stepSentence,
} from "../turn/sentences.js";
import type { Call, Search, Turn } from "../turn/turn.js";
import { InputPoint, pointWords } from "./input-point.js";
import { type Line, stepOf } from "./lines.js";
import { oneLine } from "./one-line.js";
import { useViewer } from "./viewer.js";

/** A line of a turn's box. It leads to its step, a search to the documents. */
export function StepLine({
  line,
  turn,
  isFirst,
  isChosen,
  waits,
}: {
  readonly line: Line;
  readonly turn: Pick<Address, "thread" | "turn">;
  /** Whether it is the first of its step, which has the number. */
  readonly isFirst: boolean;
  readonly isChosen: boolean;
  /** Whether a person is asked about its call. */
  readonly waits: boolean;
}) {
  const step = stepOf(line);
  const place = step
    ? { ...turn, step: step.number }
    : { ...turn, part: line.kind === "search" ? "documents" : "loop" };
  return (
    <a className="line" href={writeAddress(place)} aria-current={isChosen || undefined} data-kind={line.kind}>
      <span className="line-number number">{isFirst ? step?.number : ""}</span>
      <LineWords line={line} waits={waits} />
    </a>
  );
}

function LineWords({ line, waits }: { readonly line: Line; readonly waits: boolean }) {
  switch (line.kind) {
    case "search":
      return <SearchWords search={line.search} />;
    case "quiet":
      return <Row what={<span className="muted">{line.purposes}</span>} time={timeOf(line.ms)} />;
    case "note":
      return <Row what={<span className="of-person">{noteSentence(line.note)}</span>} isLong />;
    case "thought":
      return <Row what={<q className="thought">{oneLine(line.text)}</q>} isLong />;
    case "call":
      return <CallWords call={line.call} waits={waits} />;
    case "inside":
      return <Row what={<span className="muted">inside: {line.turns.map(insideWords).join("; ")}</span>} />;
    case "unread":
      return (
        <Row
          what={<span className="of-person">{oneLine(stepSentence(line.step))}</span>}
          time={timeOf(line.step.asked?.ms)}
          isLong
        />
      );
    case "answer":
      return <Row what={<span className="muted">wrote the answer</span>} time={timeOf(line.step.asked?.ms)} />;
    default:
      return line satisfies never;
  }
}

function Row({ what, time, isLong }: { readonly what: ReactNode; readonly time?: string; readonly isLong?: boolean }) {
  return (
    <>
      <span className={isLong ? "what in-two-lines" : "what on-one-line"} dir="auto">
        {what}
      </span>
      <span className="line-time number">{time}</span>
    </>
  );
}

function CallWords({ call, waits }: { readonly call: Call; readonly waits: boolean }) {
  const { name } = useViewer();
  const { tool, input, decision, decided, status, result } = call;
  const failed = hasFailed(call);
  const isRefused = decision?.type === "refuse";
  return (
    <>
      <Row
        what={
          <>
            <strong className={failed ? "tool failed" : "tool"}>{tool}</strong>{" "}
            <InputPoint input={decision?.type === "edit" ? decision.input : input} />
          </>
        }
        time={waits ? "waits" : isRefused ? "not run" : timeOf(call.ms)}
      />
      {decision && <span className="outcome of-person">{oneLine(decisionSentence(decision, decided, name))}</span>}
      {status === "unknown" && (
        <span className="outcome of-person">{callSentence({ ...call, decision: undefined })}</span>
      )}
      {result && !isRefused && (
        <span className={failed ? "outcome failed" : "outcome"} dir="auto">
          {oneLine(result)}
        </span>
      )}
    </>
  );
}

function SearchWords({ search }: { readonly search: Search }) {
  return (
    <>
      <Row
        what={
          <>
            <strong className="tool">search</strong> <bdi>{oneLine(search.query)}</bdi>
          </>
        }
        time={timeOf(search.ms)}
      />
      <span className={search.error === undefined ? "outcome" : "outcome failed"}>{searchSentence(search)}</span>
    </>
  );
}

/** What an agent in a tool did, in a few words. */
function insideWords({ steps, answer }: Turn): string {
  const calls = steps.flatMap((step) =>
    step.calls.map(({ tool, input }) => oneLine(`${tool} ${pointWords(input)}`, 80)),
  );
  return [...calls, ...(answer === undefined ? [] : [calls.length > 0 ? "then an answer" : "an answer"])].join(", ");
}

function timeOf(ms: number | undefined): string {
  return ms === undefined ? "" : duration(ms);
}
