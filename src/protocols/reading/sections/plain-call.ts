import { isJson } from "../calls/json-reader.js";

/**
 * Writes a call in a model's own tokens as JSON in a tag. The reader of prompted calls can read that. The arguments stay
 * as they are written: their reader finds where they break off.
 *
 * @param ended Tells whether the model ended the call.
 */
export function plainCall(name: string, body: string, ended: boolean): string {
  const written = body === "" ? "{}" : body;
  const json = written.startsWith("{") || isJson(written) ? written : JSON.stringify(written);
  const call = `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}`;
  return ended || json.endsWith("}") ? `${call}}\n</tool_call>` : call;
}
