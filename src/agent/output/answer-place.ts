import type { Protocol } from "../../core/parts/protocol.js";

/** A word that stands for JSON which begins. The protocol of an output has another one, for JSON before that. */
const stand = "4711473";

/** A fence, and the word that some models write instead of one. */
export const opening = /(?:```\w*|\bjson)\s*$/i;

/**
 * Tells whether JSON that begins after a text is in the place of the answer. If the JSON is nested in other JSON, the outer
 * JSON is closed first.
 */
export function isAnswerPlace(
  protocol: Pick<Protocol, "parse">,
  before: string,
  tools: Parameters<Protocol["parse"]>[1],
): boolean {
  return ["", "}"].some((rest) => {
    const read = protocol.parse(`${before.replace(opening, "")}${stand}${rest}`, tools);
    return read.kind === "finish" && read.output.includes(stand) && !isInBrackets(read.output);
  });
}

function isInBrackets(answer: string): boolean {
  const [before = ""] = answer.split(stand);
  return before.replaceAll(/[^[{]/g, "").length > before.replaceAll(/[^\]}]/g, "").length;
}
