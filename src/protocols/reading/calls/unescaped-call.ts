/** A call whose input is a text that the model did not escape: quotes and line breaks stand in it as they are. */
export interface UnescapedCall {
  readonly action: string;
  readonly action_input: string;
}

/** A piece of a text from its opening brace on. */
export interface UnescapedPiece {
  readonly call: UnescapedCall;
  readonly end: number;
}

const head = /^\{\s{0,99}"action"\s{0,9}:\s{0,9}"([^"\n]{1,200})"\s{0,9},\s{0,99}"action_input"\s{0,9}:\s{0,9}"(?!"")/;
const tail = /"\s{0,99},?\s{0,99}\}$/;
const furtherKey = /"\s{0,99},\s{0,99}"[\w -]{1,40}"\s{0,9}:/;
const ownKey = /"\s{0,99}[,}]\s{0,99}\{?\s{0,99}"(?:action|action_input|thoughts?|observation)"\s{0,9}:/;

/**
 * Reads `{"action": "python", "action_input": "print("hi")"}`: with the input as the last of two keys it is plain where it
 * begins and ends, whatever quotes, braces and fences stand in it. Undefined for a piece of any other shape.
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
 * Reads such a call from a place on, up to the last brace before an observation: JSON in an input that is not escaped has
 * braces and quotes of its own, which hide where the call ends.
 */
export function readUnescapedPiece(text: string, start: number): UnescapedPiece | undefined {
  if (!head.test(text.slice(start, start + 1000))) return undefined;
  const observation = text.indexOf("\nObservation", start);
  const end = text.lastIndexOf("}", observation < 0 ? text.length : observation) + 1;
  const call =
    end > start && /^[\s`*]*$/.test(text.slice(end, end + 100)) ? readUnescapedCall(text.slice(start, end)) : undefined;
  return call && { call, end };
}

/** The text that a JSON string stands for, once what it lacks is escaped. */
function unescaped(written: string): string | undefined {
  const escaped = written.replaceAll(/\\[\s\S]|["\n\r\t]/g, (sign) =>
    sign.startsWith("\\") ? sign : JSON.stringify(sign).slice(1, -1),
  );
  try {
    return String(JSON.parse(`"${escaped}"`));
  } catch {
    return undefined;
  }
}
