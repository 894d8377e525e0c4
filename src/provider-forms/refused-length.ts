/** The ways in which servers name their limit. Those of Anthropic, Cohere and TGI name other numbers before it. */
const limits = [
  /\d+ \+ \d+ > (\d+)/,
  /(?:must be <=|less than|up to|\[1,|max (?:size|length|tokens)(?: of|:)?|limit for this model is) \(?(\d+)/i,
  /maximum (?:context|model|sequence|prompt) length (?:is|of)?\s*(\d+)/i,
  /context (?:size|length|window)\D{0,20}?(\d+)/i,
  /> (\d+) maximum/i,
  /(?:maximum|limit)[^\d.]{0,60}?(\d+)/i,
  /(\d+) (?:tokens? )?(?:maximum|context)/i,
];

/** The ways in which servers name the tokens of a prompt, and those that the request keeps for the reply. */
const parts = [
  /(?<prompt>\d+) \+ (?<reply>\d+) > \d+/,
  /\((?<reply>\d+) > \d+ - (?<prompt>\d+)\)/,
  /(?<prompt>\d+) in (?:the messages|your prompt)\D+(?<reply>\d+) (?:in|for) the completion/,
  /(?<reply>\d+) output tokens\D+(?<prompt>\d+)/,
  /(?<prompt>\d+) `inputs` tokens and (?<reply>\d+) `max_new_tokens`/,
];

/** The numbers in the words with which a server refused a prompt as too long. */
interface Numbers {
  /** What may be its limit, the likeliest first. */
  readonly limits: readonly number[];
  /** The tokens of the prompt, if it names them. */
  readonly prompt: number | undefined;
  /** The tokens that the request keeps for the reply. */
  readonly reply: number;
  /** All of them. */
  readonly numbers: readonly number[];
}

/** Reads the numbers in the refusal of a prompt. */
export function numbersIn(refusal: string): Numbers {
  const words = refusal.replaceAll(/(\d)[,_](?=\d{3})/g, "$1");
  const { prompt, reply = 0 } = parts.map((pattern) => pattern.exec(words)?.groups).find((found) => found) ?? {};
  return {
    limits: limits.flatMap((pattern) => pattern.exec(words)?.[1] ?? []).map(Number),
    prompt: prompt === undefined ? undefined : Number(prompt),
    reply: Number(reply),
    numbers: (words.match(/\d+/g) ?? []).map(Number),
  };
}
