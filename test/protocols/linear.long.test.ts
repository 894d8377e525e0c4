import { describe, expect, it } from "vitest";
import { protocols } from "../../src/protocols/by-name.js";
import { fence } from "../../src/protocols/fence/fence.js";
import { fencedProtocol } from "../../src/protocols/fenced-protocol.js";
import { type CallForm, callForms, thinkingSigns } from "../../src/protocols/forms/call-forms.js";
import { openingSigns } from "../../src/protocols/forms/form-signs.js";
import { randomFrom } from "../helpers/random.js";
import { isFull } from "../matrix/matrix.js";
import { tools } from "./forms.js";

const names = ["tool-calling", "react"] as const;
/** A reader that is quadratic takes minutes for either. */
const long = isFull ? 1_000_000 : 200_000;
/** Some limits let a reader look closer at short texts: mixtures are short. */
const short = 20_000;
/** Far more than any reply takes, and far less than one that is read again at each of its signs. */
const mostMilliseconds = isFull ? 5_000 : 2_000;

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
  ...[
    "[f(",
    "[look_up(",
    "[look_up(word='",
    "look_up(\n",
    'look_up(word="x", ',
    "look_up()\n",
    "[look_up(word='x')]\n",
  ],
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
];

const shapes: readonly Shape[] = [
  ...shapesOfForms,
  ...pieces.map((piece): Shape => [JSON.stringify(piece), piece]),
  ...frames.flatMap(([name, , before, after]) =>
    inner.map((piece): Shape => [`${JSON.stringify(piece)} in ${name}`, piece, before, after]),
  ),
];

/** Returns the milliseconds that the processor took for some work: other work of the machine does not count. */
function processorTime(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user / 1000;
}

function timeOf(name: (typeof names)[number], text: string): number {
  return processorTime(() => protocols[name].parse(text, tools));
}

describe.each(names)("%s reads a hostile reply in time:", (name) => {
  // The protocols share the readers, so each shape is read by one of them.
  const own = shapes.filter((_, n) => names[n % names.length] === name);

  it.each(own.map((shape) => [shape[0], shape] as const))("%s", (_name, shape) => {
    expect(timeOf(name, textOf(shape, long))).toBeLessThan(mostMilliseconds);
  });

  it("mixtures of signs", () => {
    const random = randomFrom(34);
    const heads = [...openingSigns, ...callForms.map(headOf)];
    const signs = [...heads, ...fields.map(([, field]) => field), ...pieces];
    const sign = () => signs[Math.floor(random() * signs.length)] ?? "";
    const mixtures = [
      ...Array.from({ length: isFull ? 50 : 15 }, () => [sign(), sign(), sign()] as const),
      ...heads.flatMap((head) => ["[look_up(word='"].map((open) => ["", head, open] as const)),
    ];
    const slow = mixtures.filter(([before, one, other]) => {
      return timeOf(name, textOf(["", one + other, before], short)) > 1_000;
    });
    expect(slow).toEqual([]);
  });
});

/** Texts from outside at each of whose signs a fence may look again. */
const fenced = [
  '"action":\n',
  "\t",
  '{"function_call":',
  "Tool: look_up\n",
  'look_up("a")\n',
  "<response>",
  "I will answer: \n",
];

it.each(["react", "self-ask"] as const)("%s fences hostile texts in time", (name) => {
  const known = { mark: "~k7q2x~", protocol: protocols[name], tools };
  const slow = fenced.filter((piece) => {
    return processorTime(() => fence(textOf(["", piece], long), known)) > mostMilliseconds;
  });
  expect(slow).toEqual([]);
});

/** Pieces of a line in which a call might begin again and again, or never does. */
const inLine = ["It was the spring of hope. ", "alpha beta, ", "**a* ", "see: [1] {a} ", "`look` at it. "];

it.each(names)("%s streams a reply in one long line in time", (name) => {
  const slow = inLine.filter((piece) => {
    const reply = textOf(["", piece], 30_000);
    const reader = fencedProtocol(protocols[name]).reader(tools);
    const read = () => Array.from({ length: reply.length / 6 }, (_, n) => reader.push(reply.slice(0, 6 * n)));
    return processorTime(read) > mostMilliseconds;
  });
  expect(slow).toEqual([]);
});
