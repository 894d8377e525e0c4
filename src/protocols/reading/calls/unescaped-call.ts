import { isAmbiguous } from "../../../base/ambiguous-backslash.js";
import { attempted } from "../../../base/attempted.js";

/** A call in a text, with the place at which it ends. Its input has quotes and line breaks without a backslash. */
export interface UnescapedPiece {
  readonly call: { readonly action: string; readonly action_input: string };
  readonly end: number;
}

const head = /\{\s{0,99}"action"\s{0,9}:\s{0,9}"([^"\n]{1,200})"\s{0,9},\s{0,99}"action_input"\s{0,9}:\s{0,9}"(?!"")/y;
const tail = /"\s{0,99},?\s{0,99}\}$/;
const furtherKey = /"\s{0,99},\s{0,99}"[\w -]{1,40}"\s{0,9}:/;
const ownKey = /"\s{0,99}[,}]\s{0,99}\{?\s{0,99}"(?:action|action_input|thoughts?|observation)"\s{0,9}:/;

/**
 * Reads `{"action": "python", "action_input": "print("hi")"}` from a place up to the last brace before an observation. The
 * input is the last of two keys, so its beginning and its end are clear, whatever quotes, braces and fences the input
 * contains. Returns undefined for a piece of another shape.
 */
export function readUnescapedPiece(text: string, start: number): UnescapedPiece | undefined {
  head.lastIndex = start;
  const action = head.exec(text)?.[1];
  if (action === undefined) return undefined;
  const observation = text.indexOf("\nObservation", start);
  const end = text.lastIndexOf("}", observation < 0 ? text.length : observation) + 1;
  const closing = tail.exec(text.slice(Math.max(head.lastIndex, end - 300), end));
  if (!closing || !/^[\s`*]*$/.test(text.slice(end, end + 100))) return undefined;
  const written = text.slice(head.lastIndex, end - closing[0].length);
  if (ownKey.test(written) || (!written.includes("{") && furtherKey.test(written))) return undefined;
  const input = unescaped(written);
  return input === undefined || isAmbiguous(written, input)
    ? undefined
    : { call: { action, action_input: input }, end };
}

/** Returns the value of a JSON string after escaping it. */
function unescaped(written: string): string | undefined {
  const quoted = written.replaceAll(/\\[\s\S]|["\n\r\t]/g, (sign) =>
    sign.startsWith("\\") ? sign : JSON.stringify(sign).slice(1, -1),
  );
  return attempted(() => String(JSON.parse(`"${quoted}"`)));
}
