import { escaped } from "../../base/escaped.js";

/** Phrases and gaps of the prompts. A model that copies the prompt writes them instead of an action or an answer. */
const promptPhrases = (
  "the action to take|the input to the action|the result of the action|the final answer to the original input question|" +
  "the input question you must answer|you should always think about what to do|final response to human|your response here|" +
  "the action's input|your final answer must be the great|my best complete final answer to the task|" +
  "$tool_name|$input|$json_blob|$tool_input|$action"
).split("|");
const promptPhrase = new RegExp(`^\\[?(?:${promptPhrases.map(escaped).join("|")})`);
/** A gap of a template, such as `{input}` or `<your answer>`. */
const hole = /^(?:\{\{?|<|\[)\s*(?:your |the |insert |tool|action|input|final)[\w ,'-]{0,80}(?:\}?\}|>|\])$/;

/** Tells whether a value that is still being written may come to be a placeholder, or is one. */
export function mayBecomePlaceholder(value: string): boolean {
  if (isPlaceholder(value)) return true;
  const said = value
    .trim()
    .replaceAll(/^["'`*\s]+|[.…\s]+$/g, "")
    .toLowerCase();
  if (said === "" || /^(?:\{|<|\[)[{\s]{0,9}[\w ,'-]{0,90}[}>\]]{0,2}$/.test(said)) return true;
  const phrase = said.replace(/^\[/, "");
  return promptPhrases.some((text) => text.startsWith(phrase));
}

/** Tells whether a value comes from the prompt: a phrase of it, a gap in it, or only dots. */
export function isPlaceholder(value: string): boolean {
  const text = value
    .slice(0, 300)
    .replaceAll(/^[\s"'`*]+|[\s"'`*.]+$/g, "")
    .toLowerCase();
  if (text === "" && /…|\.\.\./.test(value.slice(0, 300))) return true;
  return hole.test(text) || promptPhrase.test(text);
}
