import { parsedJson } from "../../base/attempted.js";
import { isRecord } from "../../base/is-record.js";
import { listParameters } from "../../tool-inputs/parameters.js";
import { closingSigns } from "../forms/form-signs.js";
import { bracketed } from "./calls/action-line.js";
import { schemasOf } from "./calls/arguments.js";
import { inputText } from "./calls/call-input.js";
import { isSignature } from "./calls/code-calls.js";
import { readJsonCalls } from "./calls/json-call.js";
import { JsonReader } from "./calls/json-reader.js";
import { howToShow } from "./calls/mention.js";
import { jsonPieces } from "./json-pieces.js";
import { type Outcome, problem, said } from "./outcome.js";
import { withoutCode, withoutFences } from "./shown-code.js";
import type { ToolNames } from "./tool-names.js";

/**
 * Tells what in the words of a reply looks like a call that no reader reads. Words in which nothing was read are an answer only
 * without such evidence: a call that is shown as an answer is misread in silence.
 *
 * What stands in a code fence or in backticks is only shown, but for JSON that names a tool.
 *
 * @returns The reason for asking again, as a sentence about the reply; undefined if there is no evidence.
 */
export function evidenceOf(text: string, names: ToolNames): string | undefined {
  const said = withoutCode(
    text,
    /(?<!`)`(?!`)[^`\n]{1,300}`(?!`)|(?<![=:([{,]\s?)"[\p{L}_][\w.]{0,80}\([^"\n]{0,300}"/gu,
  );
  const bare = withoutFences(said);
  const tool =
    toolBeside(bare, names) ?? toolInJson(said, names) ?? toolOfFence(text, names) ?? toolOfAction(bare, names);
  if (tool !== undefined) return `It has the name of ${tool} and something that cannot be read as its input.`;
  const sign = closingSigns.find((closing) => bare.includes(closing));
  if (sign !== undefined) return `It has the sign ${sign} of a tool call, and no call that can be read.`;
  const [, tag] = commandTag.exec(bare) ?? [];
  if (tag !== undefined) return `It has something in the tag <${tag}>, which is not the form of a tool call.`;
  const [fence] = commandFence.exec(text) ?? [];
  if (fence !== undefined) return `It has a code fence ${fence}, and no tool call in it that can be read.`;
  return inventedResult.test(text)
    ? "It has only the result of a tool. Results come from the tools, after a call."
    : undefined;
}

/** Reads words in which nothing was read. They are the answer, unless a part of them looks like a call. */
export function answerInWords(answer: string, names: ToolNames): Outcome {
  const tool = toolOfArguments(answer, names);
  if (tool !== undefined) {
    const why = `It has arguments without the name of a tool. If they are for ${tool}, call it by its name.`;
    return { ...problem(why), ifRepeated: answer };
  }
  const evidence = evidenceOf(answer, names);
  return evidence === undefined ? said(answer) : { ...problem(`${evidence} ${howToShow}`), atLimit: answer };
}

/** Returns the tool of a reply that is only its arguments, in JSON without a name. It may also be an answer in JSON. */
function toolOfArguments(answer: string, { tools }: ToolNames): string | undefined {
  const json = /^(?:\{|```)/.test(answer) ? parsedJson(inputText(answer).text) : undefined;
  const keys = isRecord(json) ? Object.keys(json) : [];
  const found = tools
    .filter((tool) => typeof tool !== "string")
    .find(({ parameters }) => {
      const known = listParameters(parameters);
      const isKnown = keys.every((key) => known.some(({ name }) => name === key));
      return isKnown && known.every(({ name, required }) => !required || keys.includes(name));
    });
  return keys.length > 0 ? found?.name : undefined;
}

/** A word with an opening sign after it that may begin its arguments. */
const wordAndSign =
  /(?<![\p{L}\p{N}_"'“‘«])([\p{L}_][\p{L}\p{N}_.-]{0,80})["'”’*]{0,3}(\(|\[|:?[ \t]{0,3}(?=\{\s{0,9}["'“\w])|\s{1,3}(?=<\w)|\s(?=\w{1,40}=["'\w]))/gu;

/** Returns the tool whose name stands beside arguments: `search(query="x")`, `search {"query": "x"}`, `<search>`. */
function toolBeside(text: string, names: ToolNames): string | undefined {
  const json = new JsonReader(text);
  for (const { index, 0: whole, 1: word = "", 2: sign = "" } of looked(text, wordAndSign)) {
    const tool = names.match(word);
    if (tool !== undefined && hasArguments(text, index + whole.length, sign, json)) return tool;
  }
  // `Delegate work to co-worker(task="x")`
  const hasBracket = (name: string) => ["(", "{", "["].some((bracket) => text.includes(name + bracket));
  const spaced = names.names.find((name) => /\s/.test(name) && hasBracket(name));
  if (spaced !== undefined) return spaced;
  const named =
    /\[[^[\]\n]{0,40}[:=]\s?([\w.-]{1,100})\s?\]|<\/?([\w.-]{1,100})(?=[\s>/=])|<\w[^<>\n]{0,40}[=:]\s?["']?([\w.-]{1,100})["']?\s?\/?>|>\s{0,9}([\w.-]{1,100})\s{0,9}</g;
  for (const [, ...words] of looked(text, named)) {
    const tool = names.match(words.find((word) => word !== undefined) ?? "");
    if (tool !== undefined) return tool;
  }
  return undefined;
}

/** The largest number of places to look at. A reply with more of them is broken. */
const mostLooks = 300;

function looked(text: string, signs: RegExp): RegExpExecArray[] {
  return [...text.matchAll(signs)].slice(0, mostLooks);
}

/** Tells whether brackets hold values. `search(query)` and `search()` only name a tool. */
function hasArguments(text: string, end: number, sign: string, json: JsonReader): boolean {
  if (!/[([]/.test(sign)) return true;
  const { inside, end: close, closed } = bracketed(text, end - 1, json);
  if (sign === "[") return /[\p{L}]/u.test(inside) && text.charAt(close) !== "(";
  return !isSignature(text.slice(end, close)) && (!closed ? inside !== "" : /["'“{=]|:\s|^\d/.test(inside));
}

/** Returns the tool that JSON names, outside of quotes. */
function toolInJson(text: string, names: ToolNames): string | undefined {
  const pieces = new Map([...jsonPieces(text)].map((piece) => [piece.start, piece]));
  let place = 0;
  for (const { index } of looked(text, /(?<!["'“‘«])[[{]/g)) {
    if (index < place) continue;
    const piece = pieces.get(index);
    const head = text.slice(index, index + longestHead);
    const isExact = piece !== undefined && !/^\{\s{0,40}“/.test(head);
    const tool = isExact ? toolInValue(piece.value, names) : toolInHead(head, names);
    if (tool !== undefined) return tool;
    place = piece?.end ?? index + 1;
  }
  return undefined;
}

/** Returns the tool of a call in the middle of a sentence, or of JSON that has the name of a tool and may be its call. */
function toolInValue(value: unknown, names: ToolNames): string | undefined {
  const [call] = readJsonCalls(value, names);
  if (call?.kind === "call" && call.offered) return call.tool;
  if (Array.isArray(value) && value.every(isRecord)) return value.map((item) => toolInValue(item, names)).find(Boolean);
  if (typeof value !== "object" || value === null || "description" in value) return undefined;
  const fields: [string, unknown][] = Object.entries(value);
  const named = fields.find(([key, field]) => {
    const spec = typeof field === "string" ? names.match(field) : undefined;
    const schemas = schemasOf(names.spec(spec));
    const isInput = ([other, input]: [string, unknown]) =>
      other !== key && (isRecord(input) || Object.hasOwn(schemas, other));
    return names.names.includes(key) || (spec !== undefined && fields.some(isInput));
  });
  return named && (names.names.includes(named[0]) ? named[0] : names.match(String(named[1])));
}

/** The number of signs of broken JSON in which the name of its tool stands. */
const longestHead = 300;

/** Returns the tool whose name stands in quotes in JSON that cannot be read. */
function toolInHead(head: string, names: ToolNames): string | undefined {
  const quoted = /^(?:\{\s{0,40}["'“\w]|\[\s{0,40}["'“][\w.-]{1,100}["'”],)/.test(head)
    ? head.matchAll(/["'“]([\w.-]{1,100})["'”]/g)
    : [];
  return [...quoted].map(([, word]) => names.match(word ?? "")).find((tool) => tool !== undefined);
}

/** Returns the tool that an `Action:` line names in words, or a key without braces: `Action: Call the 'search' function`. */
function toolOfAction(text: string, names: ToolNames): string | undefined {
  const label = /^[ \t*#]{0,9}Action\*{0,2}\s{0,9}[:：]([^\n]*)/m.exec(text);
  const [, line] = label ?? /^[^{]*?["'](?:action|tool)["']\s{0,9}:([^\n]*)/i.exec(text) ?? [];
  return line === undefined ? undefined : names.mentioned(line)[0];
}

/** Returns the tool whose name is the language of a fence that is the whole reply. */
function toolOfFence(text: string, names: ToolNames): string | undefined {
  const [, language] = /^```([\w.-]{1,100})\n[\s\S]*```$/.exec(text.trim()) ?? [];
  return language === undefined ? undefined : names.match(language);
}

/** A tag that is named like a call, with something in it. */
const commandTag =
  /<((?=[\w:-]{0,40}(?:tool|function|call|invoke|action|exec|command|bash|shell|parameter))[a-z][\w:-]{1,60})(?:\s[^<>\n]{0,200})?>\s{0,9}[^\s<]/i;

/** A code fence for calls of tools, or for their results. */
const commandFence = /^```(?:function|tool)_?(?:call|code|output|response|result)s?\b/m;

/** The result of a tool at the beginning of a reply. */
const inventedResult = /^\s*(?:<(?:tool_response|tool_result|function_results?)>|Observation:)/;
