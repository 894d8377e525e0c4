import { lexer, type MarkedToken } from "marked";
import type { Colours } from "../colours.js";
import { screenText } from "../screen-text.js";
import type { TextStream } from "../text-stream.js";
import { knownTokens, renderBlock } from "./render-block.js";

/** The most characters of a block that is rendered. Reading the marks of a longer one could take seconds. */
const LONGEST_BLOCK = 10_000;

/**
 * Shows Markdown in a terminal, each block when it is finished. A block that is too long or too deep is shown as it is.
 *
 * @param columns The width of the screen. Wider tables become lists.
 */
export function markdownText(label: string, colours: Colours, columns: number): TextStream {
  let pending = "";
  let nextLook = 0;
  let isFirst = true;

  function render(blocks: readonly MarkedToken[]): string {
    return blocks.map(spaced).join("");
  }

  function spaced(block: MarkedToken): string {
    const text = renderBlock(block, colours, columns);
    if (text === "") return "";
    const begun = label === "" ? "" : `${label}${block.type === "paragraph" ? " " : "\n"}`;
    const before = isFirst ? begun : "\n";
    isFirst = false;
    return `${before}${text}\n`;
  }

  return {
    push(piece) {
      pending += screenText(piece);
      const length = pending.lastIndexOf("\n") + 1;
      if (!piece.includes("\n") || length < nextLook) return "";
      const blocks = readBlocks(pending.slice(0, length));
      const finished = blocks.slice(0, finishedCount(blocks));
      // A long block is looked at less and less often, so that all looks together take no longer than a few.
      nextLook = finished.length === 0 ? length * 1.25 : 0;
      pending = pending.slice(finished.reduce((sum, { raw }) => sum + raw.length, 0));
      return render(finished);
    },
    end() {
      return render(readBlocks(pending));
    },
  };
}

function readBlocks(text: string): MarkedToken[] {
  const asItIs: MarkedToken = { type: "html", raw: text, text, pre: false, block: true };
  if (text.length > LONGEST_BLOCK) return [asItIs];
  try {
    return knownTokens(lexer(text));
  } catch (error) {
    // The library calls itself for each level of quotes and lists.
    if (error instanceof RangeError) return [asItIs];
    throw error;
  }
}

/** Counts the blocks that no later line can change. An empty line ends all blocks but a list. */
function finishedCount(blocks: readonly MarkedToken[]): number {
  const last = blocks.findLastIndex(({ type }) => type !== "space");
  const isEnded = last < blocks.length - 1 && blocks[last]?.type !== "list" && blocks[last]?.type !== "code";
  return isEnded ? blocks.length : Math.max(last, 0);
}
