import { memo, useMemo, useState } from "react";
import { LongText } from "../../parts/long-text.js";
import { ShowAll } from "../../parts/show-all.js";
import { Block } from "./block.js";
import { BlockReader } from "./block-reader.js";
import { type Mark, MarkedText } from "./marked-text.js";
import { pictureMarks } from "./pictures.js";
import "./markdown.css";

/** A longer text is shown as it is. */
const LONGEST = 50_000;
/** So much of a text is shown until somebody asks for all of it. */
const SHOWN_FIRST = 20_000;

const noMarks: readonly Mark[] = [];

/**
 * A text of a model, which may be in Markdown. No HTML is made of it. When it grows, only its last block is read again.
 *
 * @param marks Should be the same array as long as they are the same.
 */
export const Markdown = memo(function Markdown({
  text,
  marks = noMarks,
}: {
  readonly text: string;
  readonly marks?: readonly Mark[];
}) {
  const [reader] = useState(() => new BlockReader());
  const [isOpen, setOpen] = useState(false);
  const marked = useMemo(() => new MarkedText(text, [...marks, ...pictureMarks(text)]), [text, marks]);
  if (marked.text.length > LONGEST) return <LongText text={text} />;
  const isCut = !isOpen && marked.text.length > SHOWN_FIRST;
  const shown = marked.text.slice(0, isCut ? SHOWN_FIRST : undefined).replaceAll(/\r\n?/g, "\n");
  return (
    <div className="markdown">
      {reader.read(shown).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place while a text grows
        <Block key={index} block={block} marked={marked.isIn(block) ? marked : undefined} />
      ))}
      {isCut && <ShowAll length={text.length} onClick={() => setOpen(true)} />}
    </div>
  );
});
