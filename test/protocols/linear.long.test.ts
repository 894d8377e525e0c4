import { describe, expect, it } from "vitest";
import { protocols } from "../../src/protocols/by-name.js";
import { fence } from "../../src/protocols/fence/fence.js";
import { fencedProtocol } from "../../src/protocols/fenced-protocol.js";
import { type CallForm, callForms, thinkingSigns } from "../../src/protocols/forms/call-forms.js";
import { openingSigns } from "../../src/protocols/forms/form-signs.js";
import { processorTime } from "../helpers/processor-time.js";
import { randomFrom } from "../helpers/random.js";
import { isFull } from "../matrix/matrix.js";
import { tools } from "./forms.js";

const names = ["tool-calling", "react"] as const;
/** A reader that is quadratic takes minutes for either. */
const long = isFull ? 500_000 : 50_000;
/** Some limits let a reader look closer at short texts: mixtures are short. */
const short = 20_000;
/** A shape of a hostile reply: a text that is repeated, with what stands before and after it once. */
type Shape = readonly [name: string, repeated: string, before?: string, after?: string];

function textOf([, repeated, before = "", after = ""]: Shape, size: number): string {
  const room = size - before.length - after.length;
  return `${before}${repeated.repeat(Math.ceil(room / repeated.length)).slice(0, room)}${after}`;
}

/** Returns the beginning of a call in a form, up to its arguments. */
function headOf({ around: [opening] = ["", ""], call }: CallForm): string {
  const head = call.replace(/\b(?:ARGUMENTS|FIELDS|WORDS|CALLS|CODE)\b.*/s, "");
  return `${opening}${filled(head)}`.trim();
}

function filled(form: string): string {
  const gaps: Readonly<Record<string, string>> = { NAME: "look_up", ID: "1", SIGNS: "", KEY: "word", TYPE: "true" };
  return form.replaceAll(/\b[A-Z]+\b/g, (word) => gaps[word] ?? word);
}

const fields = callForms.flatMap((form): [CallForm, string][] => (form.field ? [[form, filled(form.field)]] : []));

/** Shapes of the table of forms: signs again and again, calls that open in calls, fields that never close. */
const shapesOfForms: readonly Shape[] = [
  ...openingSigns.map((sign): Shape => [`signs ${sign}`, sign]),
  ...callForms.map((form): Shape => [`calls of ${form.families} that stay open`, `${headOf(form)} {"word": "`]),
  ...fields.map(
    ([form, field]): Shape => [
      `fields of ${form.families} that stay open`,
      field.replace(/VALUE.*/s, "x "),
      headOf(form),
    ],
  ),
  ...thinkingSigns.map(([opening, closing]): Shape => [`thoughts ${opening}`, `${opening}${closing}${opening}`]),
];

/** Texts that a reader may read again and again. */
const pieces: readonly string[] = [
  ...["<a>", "<a></a>", "<a>x", "<a><b>", "<look_up>", "<look_up> x\n", "</look_up>", "<item>1</item>", "<", ">", "|"],
  ...["<|", "<｜", "]<]minimax[>[", ":opensource", "<![CDATA[", '<|"|>', "<escape>", "<final_answer>", "<answer>a"],
  ...["[f(", "[look_up(word='", "look_up(\n", 'look_up(word="x", ', "look_up()\n", "[look_up(word='x')]\n"],
  ...["`look_up(", " `look_up(x)` ", "print(look_up(", "x = await ", "a.", "a_", "a a ", "( ", "[ ", "{ ", "{\n"],
  ...["functions.", "functions.look_up:0 {", "functools[", ">>>look_up\n", "to=functions.look_up json", "look_up{\n"],
  ...['{"name": "look_up", ', '{"name": "look_up", "arguments": {', '{"name": "x", "arguments": {}} word\n'],
  ...['{"look_up": ', 'look_up: {"word": "', "look_up {}\n", "look_up\n{", "Action: look_up(", "Final Answer: {"],
  ...['"', "'", "'a'", '"a\\"', '"""', "{'a', ", ",", "a=1, ", 'a="x", ', 'a="x, ', "a: b\n", "=", "\\", "1_", "true "],
  ...["```\n", "```json\n", "```json\n{", "`", "`` ", "\n", " ", "\t", "\r\n", "\u0120", "never `", "for example "],
  ...["<tool_response>", "result: x\n", "<co>", "</co: 0:[1]>"],
];

/** Calls with room for hostile arguments. */
const frames: readonly Shape[] = [
  ["code", "", "[look_up(", ")]"],
  ["JSON in a tag", "", '<tool_call>{"name": "look_up", "arguments": {"word": ', "}}</tool_call>"],
  ["arguments without quotes", "", "<|tool_call>call:look_up{", "}<tool_call|>"],
  ["an action", "", "Action: save_note(", ")\n"],
];

const inner: readonly string[] = [
  ...['"', "'", '"""', ",", "{'a', ", 'a="x, ', "<item>1</item>", "<a><b>", "(", "[", "\\", "\n", "```\n", '{"a": "'],
  ...["[/* ", '\\"'],
];

const repeated = (piece: string): Shape => [JSON.stringify(piece), piece];

const shapes: readonly Shape[] = [
  ...shapesOfForms,
  ...pieces.map(repeated),
  ...frames.flatMap(([name, , before, after]) =>
    inner.map((piece): Shape => [`${JSON.stringify(piece)} in ${name}`, piece, before, after]),
  ),
];

/** Texts from outside at each of whose signs a fence may look again. */
const fenced = [
  ...['"action":\n', "\t", '{"function_call":', "Tool: look_up\n", 'look_up("a")\n'],
  ...["<response>", "I will answer: \n"],
].map(repeated);

/** Pieces of a line in which a call might begin again and again, or never does. */
const inLine = ["alpha beta, ", "**a* ", "see: [1] {a} ", "`look` at it. "].map(repeated);

/** A usual reply for comparison. */
const usual: Shape = ["calls", '<tool_call>{"name": "look_up", "arguments": {"word": "spring"}}</tool_call>\n'];
/** How much longer a hostile text may take than a usual one. One that is read again at each sign takes hundreds of times as long. */
const mostTimes = 100;

/** Returns the names of the texts with which some work takes far longer than with a usual one of that length. */
async function slowOf(hostile: readonly Shape[], length: number, work: (text: string) => unknown): Promise<string[]> {
  const timeOf = (shape: Shape) => {
    const text = textOf(shape, length);
    return processorTime(() => work(text));
  };
  const most = mostTimes * Math.min(await timeOf(usual), await timeOf(usual), await timeOf(usual));
  const slow: string[] = [];
  // Work of the runtime may fall into one of them.
  for (const shape of hostile) if ((await timeOf(shape)) > most && (await timeOf(shape)) > most) slow.push(shape[0]);
  return slow;
}

describe.each(names)("%s takes no longer than for a usual reply for", (name) => {
  const read = (text: string) => protocols[name].parse(text, tools);

  it("a long hostile one", async () => {
    // The protocols share the readers, so each shape is read by one of them.
    const own = shapes.filter((_, n) => names[n % names.length] === name);
    expect(await slowOf(own, long, read)).toEqual([]);
  });

  it("mixtures of signs", async () => {
    const random = randomFrom(34);
    const heads = [...openingSigns, ...callForms.map(headOf)];
    const signs = [...heads, ...fields.map(([, field]) => field), ...pieces];
    const sign = () => signs[Math.floor(random() * signs.length)] ?? "";
    const mixtures = [
      ...Array.from({ length: isFull ? 50 : 15 }, () => [sign(), sign(), sign()] as const),
      ...heads.map((head) => ["", head, "[look_up(word='"] as const),
    ];
    const texts = mixtures.map(([before, one, other]): Shape => [`${before}, ${one}, ${other}`, one + other, before]);
    expect(await slowOf(texts, short, read)).toEqual([]);
  });

  it("one long line, piece by piece", async () => {
    const reader = fencedProtocol(protocols[name]).reader(tools);
    const stream = (reply: string) => reply.match(/.{6}/gs)?.map((piece) => reader.push(piece));
    expect(await slowOf(inLine, 30_000, stream)).toEqual([]);
  });
});

it.each(["react", "self-ask"] as const)("%s fences a hostile text about as soon as a usual one", async (name) => {
  const known = { mark: "~k7q2x~", protocol: protocols[name], tools };
  expect(await slowOf(fenced, long, (text) => fence(text, known))).toEqual([]);
});
