import type { Protocol } from "../../core/parts/protocol.js";

/** A placeholder for JSON that begins. The protocol of an output has another placeholder, for earlier JSON. */
const stand = "4711473";

/** A fence, and the word that some models write instead of one. */
export const opening = /(?:```\w*|\bjson)\s*$/i;

/**
 * Tells whether JSON that begins after a text is in the place of the answer. The JSON may be nested in other JSON, so the
 * text is also tried with the outer object closed.
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
