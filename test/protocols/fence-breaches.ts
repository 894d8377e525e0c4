import { unfenced } from "../../src/content/marks.js";
import type { Protocol } from "../../src/core/parts/protocol.js";
import type { ParsedReply } from "../../src/core/state/decision.js";
import { protocols } from "../../src/protocols/by-name.js";
import { fence, withLineFeeds } from "../../src/protocols/fence/fence.js";
import { conversational } from "../../src/protocols/index.js";
import { LabelReader } from "../../src/protocols/streaming/label-reader.js";
import type { ToolSpec } from "../../src/tool-inputs/tool-spec.js";

/** All protocols in whose prompts text from outside stands. */
export const spoken: Readonly<Record<string, Protocol>> = {
  ...protocols,
  "conversational in JSON": conversational({ format: "json" }),
};

const mark = "~k7q2x~";
const parameters = { type: "object", properties: { to: { type: "string" } } };
const tools: readonly ToolSpec[] = ["web_search", "send_mail", "Get Issues"].map((name) => {
  return { name, description: "", parameters };
});

const blob = (action: string, input: unknown) =>
  `\`\`\`json\n${JSON.stringify({ action, action_input: input }, null, 1)}\n\`\`\``;
const reactSearch = "Action: web_search\nAction Input: cats";
const blobSearch = `Action:\n${blob("web_search", { to: "cats" })}`;

/** Replies in which a model repeats an observation, and then takes a step of its own, or takes one first. */
const repeating: Readonly<Record<string, readonly ((shown: string) => string)[]>> = {
  react: [
    (shown) => `Observation: ${shown}\nThought: own\n${reactSearch}`,
    (shown) => `Observation: ${shown}\nThought: own\nFinal Answer: own words`,
    (shown) => `${shown}\nThought: own\nFinal Answer: own words`,
    (shown) => ` own\n${reactSearch}\nObservation: ${shown}\nThought: x`,
  ],
  "structured-chat": [
    (shown) => `Observation: ${shown}\nThought: own\n${blobSearch}`,
    (shown) => `Observation: ${shown}\nThought: own\nAction:\n${blob("Final Answer", "own words")}`,
    (shown) => `Thought: own\n${blobSearch}\nObservation: ${shown}\nThought: x`,
  ],
  conversational: [
    (shown) => `Observation: ${shown}\nThought: Do I need to use a tool? Yes\n${reactSearch}`,
    (shown) => `Observation: ${shown}\nThought: Do I need to use a tool? No\nAI: own words`,
    (shown) => `Thought: Do I need to use a tool? Yes\n${reactSearch}\nObservation: ${shown}\nThought: x`,
  ],
  "self-ask": [
    (shown) => `Intermediate answer: ${shown}\nFollow up: cats?`,
    (shown) => `Intermediate answer: ${shown}\nSo the final answer is: own words`,
    (shown) => `Follow up: cats?\nIntermediate answer: ${shown}\nSo the final answer is: x`,
  ],
  "conversational in JSON": [
    (shown) => `${shown}\n\n${blob("web_search", { to: "cats" })}`,
    (shown) => `${shown}\n\n${blob("Final Answer", "own words")}`,
    (shown) => `${blob("web_search", { to: "cats" })}\nTOOL RESPONSE:\n${shown}`,
  ],
};

/** A property that a fenced text does not have. */
export interface Breach {
  readonly protocol: string;
  readonly what: string;
  readonly text: string;
  readonly shown: string;
}

/** Returns what is wrong with a text from outside once it is fenced, in the prompts of all protocols. */
export function breachesOf(text: string): Breach[] {
  const reads = memoryOfReads();
  return Object.entries(spoken).flatMap(([name, protocol]) => {
    const known = { mark, protocol, tools };
    const shown = fence(text, known);
    const found = [
      ...(unfenced(shown, [mark]) === text ? [] : ["is not the same without marks and escapes"]),
      ...(fence(shown, known) === shown ? [] : ["changes when it is fenced again"]),
      ...(protocol.nativeTools ? [] : stepsIn(shown, protocol, reads)),
      ...(repeating[name] ?? []).flatMap((reply, n) => {
        const own = said(reads(protocol, reply("Paris.")));
        const now = said(reads(protocol, reply(shown)));
        return now === own ? [] : [`makes ${now} of ${own} in reply ${n + 1}`];
      }),
    ];
    return found.map((what) => ({ protocol: name, what, text, shown }));
  });
}

type Reads = (protocol: Protocol, text: string) => ParsedReply;

/** Several protocols have the same reader, and mostly the same fenced text. */
function memoryOfReads(): Reads {
  const known = new Map<Protocol["parse"], Map<string, ParsedReply>>();
  return ({ parse }, text) => {
    const own = known.get(parse) ?? new Map<string, ParsedReply>();
    known.set(parse, own);
    const read = own.get(text) ?? parse(text, tools);
    own.set(text, read);
    return read;
  };
}

/** Returns the steps that a reader finds in a text, also from one of its lines on, as a model may repeat it. */
function stepsIn(shown: string, protocol: Protocol, reads: Reads): string[] {
  const lines = [shown, withLineFeeds(shown)].flatMap((whole) => [
    whole,
    ...[...whole.matchAll(/\n/g)].map(({ index }) => whole.slice(index + 1)),
  ]);
  const { pieces } = (protocol.reader?.(tools) ?? new LabelReader(protocol, tools)).push(shown);
  const streamed = pieces.filter(({ kind }) => kind === "answer").map((piece) => piece.text);
  const sent = streamed.join("").trim();
  return [
    ...[...new Set(lines)].flatMap((part) => {
      const read = reads(protocol, part);
      const isWords =
        read.kind === "unparseable" || (read.kind === "finish" && wholes(part).includes(read.output.trim()));
      return isWords ? [] : [`is read as ${said(read)}`];
    }),
    ...(wholes(shown).some((whole) => whole.startsWith(sent))
      ? []
      : [`goes out as the answer ${JSON.stringify(sent)}`]),
  ];
}

/** A text that is read whole is words. The reader of self-ask leaves out a "Yes." that begins it. */
function wholes(text: string): string[] {
  return [text, text.replace(/^\s*(?:yes|no)\b[.,]?\s*/i, "")].map((whole) => whole.trim());
}

function said(read: ParsedReply): string {
  if (read.kind === "action") return JSON.stringify(read.actions.map(({ tool, toolInput }) => [tool, toolInput]));
  return JSON.stringify(read.kind === "finish" ? read.output : read.kind);
}
