import type { BaseMessage } from "@langchain/core/messages";
import { isRecord } from "../../base/is-record.js";

/** Returns the reasoning of a reply, or "" if there is none or the provider does not show it. */
export function reasoningIn(message: BaseMessage): string {
  return new ReasoningReader().push(message);
}

/** Reads the reasoning of a reply that comes in chunks. An empty line stands between its parts. */
export class ReasoningReader {
  #place: unknown;

  /** Takes the next chunk, or the whole reply. Returns the reasoning in it. */
  push(message: BaseMessage): string {
    let text = "";
    for (const part of partsIn(message)) {
      if (this.#place !== undefined && part.place !== this.#place) text += "\n\n";
      this.#place = part.place;
      text += part.text;
    }
    return text;
  }
}

/** A part of a model's reasoning. Texts at the same place are one part. */
interface Part {
  readonly place: unknown;
  readonly text: string;
}

type Block = Readonly<Record<string, unknown>>;

/**
 * Returns the reasoning in a message. LangChain's `contentBlocks` does not have all of it: it needs the name of the provider,
 * which many chunks lack. It leaves out the `reasoning_content` of OpenAI-compatible servers. The last chunk of the Responses API
 * has the whole reasoning there once more.
 */
function partsIn({ content, additional_kwargs: { reasoning_content, reasoning } }: BaseMessage): Part[] {
  const parts = typeof content === "string" ? [] : partsOf(content);
  return parts.length > 0 ? parts : partsOf([{ type: "reasoning", reasoning: reasoning_content ?? reasoning }]);
}

/** Blocks without an index are one part if they stand next to each other. */
function partsOf(blocks: readonly Block[]): Part[] {
  let others = 0;
  return blocks.flatMap((block) => {
    const text = textIn(reasoningOf(block));
    if (text !== "") return [{ text, place: block.index ?? others }];
    others += 1;
    return [];
  });
}

function reasoningOf(block: Block): unknown {
  if (block.thought === true) return block.text;
  switch (block.type) {
    case "thinking":
      return block.thinking;
    case "reasoning":
      return block.reasoning ?? block.summary;
    case "reasoning_content":
      return block.reasoningText;
    default:
      return "";
  }
}

/** Returns a text. Providers also write it in a record, in a list, or as a summary. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("");
  return isRecord(value) ? textIn(value.text ?? value.summary) : "";
}
