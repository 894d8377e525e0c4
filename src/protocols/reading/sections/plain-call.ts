import { isJson } from "../calls/json-reader.js";

/**
 * A call from a model's own tokens, as JSON in a tag: what reads the calls of prompted models reads it, and no prompt that
 * repeats it holds a token. Its arguments stay as they are written; what breaks off in them is found by their reader.
 *
 * @param ended Whether the model ended the call.
 */
export function plainCall(name: string, body: string, ended: boolean): string {
  const written = body === "" ? "{}" : body;
  const json = written.startsWith("{") || isJson(written) ? written : JSON.stringify(written);
  const call = `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}`;
  return ended || json.endsWith("}") ? `${call}}\n</tool_call>` : call;
}
