import { useState } from "react";
import { ShowAll } from "./show-all.js";

const SHOWN_FIRST = 20_000;

/** What is not there yet of a text. */
export interface RestOfText {
  /** The length of the whole text. */
  readonly length: number;
  readonly load: () => void;
}

/** A text as it is. Of a long one the beginning is shown, until somebody asks for all of it: then in parts, drawn when in view. */
export function LongText({ text, rest }: { readonly text: string; readonly rest?: RestOfText | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const parts = isOpen ? partsOf(text) : [text.slice(0, SHOWN_FIRST)];
  const isAll = rest === undefined && (isOpen || text.length <= SHOWN_FIRST);
  const showAll = () => {
    setOpen(true);
    rest?.load();
  };
  return (
    <div className="long-text">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
        <pre key={index} dir="auto">
          {part}
        </pre>
      ))}
      {!isAll && <ShowAll length={Math.max(text.length, rest?.length ?? 0)} onClick={showAll} />}
    </div>
  );
}

/** Splits a long text where a line ends, or in the middle of a line that is too long. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.lastIndexOf("\n", at + SHOWN_FIRST);
    const end = at + SHOWN_FIRST >= text.length || lineEnd <= at ? at + SHOWN_FIRST : lineEnd;
    parts.push(text.slice(at, end));
    at = text[end] === "\n" ? end + 1 : end;
  }
  return parts;
}
