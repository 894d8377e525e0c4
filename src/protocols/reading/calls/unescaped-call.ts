import { attempted } from "../../../base/attempted.js";
/** A call with an input that the model did not escape. Its quotes and line breaks have no backslash. */
export interface UnescapedCall {
  readonly action: string;
  readonly action_input: string;
}

/** A call in a text, with the place at which it ends. */
export interface UnescapedPiece {
  readonly call: UnescapedCall;
  readonly end: number;
}

const head = /^\{\s{0,99}"action"\s{0,9}:\s{0,9}"([^"\n]{1,200})"\s{0,9},\s{0,99}"action_input"\s{0,9}:\s{0,9}"(?!"")/;
const tail = /"\s{0,99},?\s{0,99}\}$/;
const furtherKey = /"\s{0,99},\s{0,99}"[\w -]{1,40}"\s{0,9}:/;
const ownKey = /"\s{0,99}[,}]\s{0,99}\{?\s{0,99}"(?:action|action_input|thoughts?|observation)"\s{0,9}:/;

/**
 * Reads `{"action": "python", "action_input": "print("hi")"}`. The input is the last of two keys, so its beginning and
 * its end are clear. It may hold any quotes, braces and fences. Returns undefined for a piece of another shape.
 */
export function readUnescapedCall(json: string): UnescapedCall | undefined {
  const [opening, action] = head.exec(json.slice(0, 1000)) ?? [];
  const closing = tail.exec(json.slice(-300));
  if (opening === undefined || action === undefined || closing === null) return undefined;
  if (json.length < opening.length + closing[0].length) return undefined;
  const written = json.slice(opening.length, json.length - closing[0].length);
  if (ownKey.test(written) || (!written.includes("{") && furtherKey.test(written))) return undefined;
  const input = unescaped(written);
  return input === undefined ? undefined : { action, action_input: input };
}

/**
 * Reads such a call from a place up to the last brace before an observation. An unescaped input has braces and quotes
 * of its own, and they hide the end of the call.
 */
export function readUnescapedPiece(text: string, start: number): UnescapedPiece | undefined {
  if (!head.test(text.slice(start, start + 1000))) return undefined;
  const observation = text.indexOf("\nObservation", start);
  const end = text.lastIndexOf("}", observation < 0 ? text.length : observation) + 1;
  const call =
    end > start && /^[\s`*]*$/.test(text.slice(end, end + 100)) ? readUnescapedCall(text.slice(start, end)) : undefined;
  return call && { call, end };
}

/** Returns the value of a JSON string after escaping it. */
function unescaped(written: string): string | undefined {
  const quoted = written.replaceAll(/\\[\s\S]|["\n\r\t]/g, (sign) =>
    sign.startsWith("\\") ? sign : JSON.stringify(sign).slice(1, -1),
  );
  return attempted(() => String(JSON.parse(`"${quoted}"`)));
}
