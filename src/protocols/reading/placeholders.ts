/** Phrases of the prompts. A model that copies the prompt writes them instead of an action or an answer. */
const promptPhrases = [
  "the action to take",
  "the input to the action",
  "the result of the action",
  "the final answer to the original input question",
  "the input question you must answer",
  "you should always think about what to do",
  "final response to human",
  "your response here",
  "the action's input",
  "your final answer must be the great",
  "my best complete final answer to the task",
];
/** The gaps of a template, such as `$TOOL_NAME`, `{input}` or `<your answer>`. */
const hole =
  /^(?:\$(?:tool_name|input|json_blob|tool_input|action)\b|(?:\{\{?|<|\[)\s*(?:your |the |insert |tool|action|input|final)[\w ,'-]{0,80}(?:\}?\}|>|\])$)/;
const promptPhrase = new RegExp(`^\\[?(?:${promptPhrases.join("|")})`);

/** Tells whether a value comes from the prompt: a phrase of it, a gap in it, or only dots. */
export function isPlaceholder(value: string): boolean {
  const text = value
    .slice(0, 300)
    .replaceAll(/^[\s"'`*]+|[\s"'`*.]+$/g, "")
    .toLowerCase();
  if (text === "" && /…|\.\.\./.test(value.slice(0, 300))) return true;
  return hole.test(text) || promptPhrase.test(text);
}
