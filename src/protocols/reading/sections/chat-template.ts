/** The beginnings of a turn, one for each family of models. The group is the speaker. */
const turnBeginnings = [
  String.raw`<\|im_start\|>[ \t]*(\w*)(?:<\|im_sep\|>)?`,
  String.raw`<\|start_header_id\|>(\w+)<\|end_header_id\|>`,
  String.raw`<\|header_start\|>(\w+)<\|header_end\|>`,
  String.raw`<\|start_of_role\|>(\w+)[^<|]{0,200}<\|end_of_role\|>`,
  String.raw`<start_of_turn>(\w*)`,
  String.raw`<\|turn>(\w*)`,
  String.raw`<\|(system|user|assistant|human|model|tool)\|>`,
];

const turnEnds = [
  ...["<|im_end|>", "<|im_sep|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<end_of_turn>", "<turn|>", "<|endoftext|>"],
  ...["<|end_of_text|>", "<|end|>", "<|return|>", "<|call|>", "<｜end▁of▁sentence｜>"],
];

const turnEnd = turnEnds.map((token) => token.replaceAll("|", String.raw`\|`)).join("|");
const template = new RegExp(
  [...turnBeginnings, `(${turnEnd})`, String.raw`(\[INST\])`, String.raw`(\[\/INST\])`].join("|"),
  "g",
);

/**
 * Returns the assistant's own turn, without the tokens of its chat template. A model may write the next turns itself,
 * or repeat the prompt first. Neither belongs to its reply.
 */
export function assistantTurn(text: string): string {
  const whole = firstSequence(text.replace(/^\s*<s>/, ""));
  let speaker = "assistant";
  let start = 0;
  let firstOther: string | undefined;
  for (const match of [...whole.matchAll(template), undefined]) {
    const spoken = whole.slice(start, match?.index);
    if (spoken.trim() !== "") {
      if (speaker === "assistant") return spoken;
      firstOther ??= spoken;
    }
    if (match === undefined) break;
    start = match.index + match[0].length;
    speaker = speakerAfter(match, speaker);
  }
  return firstOther ?? "";
}

/**
 * Returns the text before the end-of-sequence token. In HTML the same token can strike out words: then the text is
 * returned whole.
 */
function firstSequence(text: string): string {
  const end = text.includes("<s>") ? text.search(/<\/s>\s*$/) : text.indexOf("</s>");
  return end > 0 ? text.slice(0, end) : text;
}

function speakerAfter([, ...groups]: RegExpExecArray, before: string): string {
  const name = groups.slice(0, turnBeginnings.length).find((group) => group !== undefined);
  const [end, instruction, instructed] = groups.slice(turnBeginnings.length);
  if (name !== undefined) return name === "" || name === "model" || name === "assistant" ? "assistant" : "other";
  if (instruction !== undefined) return "other";
  return instructed !== undefined || end !== undefined ? "assistant" : before;
}

/** Tokens that only separate others. MiniMax writes one around each of its tags. */
const separators = ["]<]minimax[>["];

/** Removes the tokens that only separate others. */
export function withoutSeparators(text: string): string {
  return separators.reduce((rest, token) => rest.replaceAll(token, ""), text);
}
