import { useMemo } from "react";
import { LongText } from "../parts/long-text.js";
import { Note } from "../parts/note.js";
import type { Turn } from "../turn/turn.js";
import { citationMarks, wrongCitations } from "./citations.js";
import { Markdown } from "./markdown/markdown.js";

/** The answer of a turn as it stands, with the reasoning before it. */
export function Answer({ turn, thread }: { readonly turn: Turn; readonly thread: string | undefined }) {
  const { answer = "", writing, output, citations, kept } = turn;
  // biome-ignore lint/correctness/useExhaustiveDependencies: these are all that the marks are made of
  const marks = useMemo(() => citationMarks(turn, thread), [answer, citations, kept, thread]);
  const wrong = wrongCitations(turn);
  const last = turn.steps.at(-1);
  const reasoning = last?.kind === undefined || last.kind === "finish" ? last?.reasoning : undefined;
  return (
    <>
      {reasoning && (
        <details className="fold reasoning">
          <summary>Reasoning</summary>
          <LongText text={reasoning} />
        </details>
      )}
      {wrong && <Note tone="bad">{wrong}</Note>}
      {output === undefined ? (
        <Markdown text={answer} marks={marks} />
      ) : (
        <Markdown text={`\`\`\`json\n${JSON.stringify(output, null, 2)}\n\`\`\``} />
      )}
      {writing && (
        <div className="writing">
          <Markdown text={writing} />
        </div>
      )}
    </>
  );
}
