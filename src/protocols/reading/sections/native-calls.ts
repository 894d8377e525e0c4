import { JsonReader } from "../calls/json-reader.js";
import { plainCall } from "./channels.js";

/** A form of calls in a model's own tokens. The pattern ends where the arguments begin, and its group is the name. */
interface Dialect {
  readonly call: RegExp;
  /** The token after the arguments. If there is none, the call ends with its JSON. */
  readonly end?: string;
}

const dialects: readonly Dialect[] = [
  // Kimi: `<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`
  {
    call: /<\|tool_call_begin\|>\s{0,9}(?:functions\.)?([\w.-]{1,100})(?::\d{1,9})?\s{0,9}<\|tool_call_argument_begin\|>/,
    end: "<|tool_call_end|>",
  },
  // DeepSeek: `<｜tool▁call▁begin｜>search<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`, and an older form with a fence.
  {
    call: /<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\w.-]{1,100})(?:<｜tool▁sep｜>|\s{0,9}```json\s)/,
    end: "<｜tool▁call▁end｜>",
  },
  // Mistral: `[TOOL_CALLS]search[ARGS]{…}`
  { call: /\[TOOL_CALLS\]\s?([\w.-]{1,100})(?:\[CALL_ID\]\w{1,50})?(?:\[ARGS\]|(?=\{))/ },
  // Mistral: `[TOOL_CALLS] [{"name": "search", …}]`, and Llama: `<|python_tag|>{"name": "search", …}`
  { call: /(?:\[TOOL_CALLS\]|<\|python_tag\|>)\s{0,9}(?=\[?\s{0,9}\{[^{}]{0,100}"(?:name|function)"\s{0,9}:)/ },
  // GPT, without its tokens: `to=functions.search json {…}`
  {
    call: /^[ \t]{0,9}(?:(?:assistant|analysis|commentary)[ \t]{0,9}){0,2}to=functions\.([\w.-]{1,100})[^\n{]{0,60}json\s{0,20}(?=\{)/m,
  },
];

const mark = /<\|tool_call_begin|<｜tool▁call|\[TOOL_CALLS\]|<\|python_tag|to=functions\./;
const sections = /<\|tool_calls_section_begin\|>|<｜tool▁calls▁begin｜>/g;

/** Writes the first call in a model's own tokens as JSON in a tag. It drops the text after the call. */
export function withPlainCall(text: string): string {
  if (!mark.test(text)) return text;
  for (const { call, end } of dialects) {
    const match = call.exec(text);
    const before = match && text.slice(0, match.index).replaceAll(sections, "").trimEnd();
    if (!match || before === null || isQuoted(before)) continue;
    const start = match.index + match[0].length;
    const plain = match[1] === undefined ? `<tool_call>\n${text.slice(start)}` : namedCall(match[1], text, start, end);
    return before === "" ? plain : `${before}\n${plain}`;
  }
  return text;
}

/** Tells whether a text goes on with code. A call in it is an example. */
function isQuoted(before: string): boolean {
  return /[`"'“‘]$/.test(before) || before.split("```").length % 2 === 0;
}

function namedCall(name: string, text: string, start: number, token?: string): string {
  const end = token === undefined ? -1 : text.indexOf(token, start);
  const close = end < 0 ? new JsonReader(text).endOf(start) : { end };
  const body = text.slice(start, "end" in close ? close.end : undefined).trim();
  return plainCall(name, body.endsWith("```") ? body.slice(0, -3).trim() : body, "end" in close);
}
