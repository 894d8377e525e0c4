import { inspect, isDeepStrictEqual } from "node:util";
import { attempted } from "../../base/attempted.js";
import { withDigits } from "../../base/digits.js";
import { isJson, isPlainObject } from "../../base/plain-data.js";
import { shorten } from "../../base/shorten.js";
import { digestOfCall } from "../../tool-inputs/call-digest.js";
import { readInput } from "../../tool-inputs/schema-complaint.js";
import type { DescribedTool } from "../../tool-inputs/tool-spec.js";

type Arguments = Readonly<Record<string, unknown>>;

/** The input of a call as it is judged: with all that the schema of its tool adds and changes. */
export interface ShownInput {
  /** What a person is shown: what the tool gets, or `given` if JSON cannot say that. */
  readonly input: Arguments;
  /** What the schema made of the given input, in a sentence. It is left out if the tool gets just that. */
  readonly note?: string | undefined;
  /** The digest of the call. It also stands for what JSON cannot say. */
  readonly digest: string;
  /** The input as it was given, in a form that the schema takes. */
  readonly given: Arguments;
  /** What a function judges: what the tool gets, also with dates and the like. It is a copy, as a function may change it. */
  readonly judged: Arguments;
}

/**
 * Parses an input by the schema of its tool, as the tool will. So defaults, fallbacks and transforms are in what is shown.
 *
 * @returns What is shown, or a sentence about what the schema refuses.
 */
export async function showInput(tool: DescribedTool, args: Arguments): Promise<ShownInput | string> {
  const read = await readInput(tool, args);
  if ("complaint" in read) return read.complaint;
  const { value } = read;
  const { name } = tool;
  const given = withDigits(read.args);
  const asGiven = digestOfCall(name, given);
  // A schema may make a circle.
  const plain = isPlainObject(value) ? attempted(() => withDigits(value)) : undefined;
  const json = attempted(() => JSON.stringify(plain));
  if (isPlainObject(value) && json !== undefined && isJson(plain)) {
    const input: Arguments = JSON.parse(json);
    const digest = digestOfCall(name, input);
    const note = `The schema of ${name} made this of ${shorten(JSON.stringify(given), 200)}. It reads an edit in the same way.`;
    return { input, note: digest === asGiven ? undefined : note, digest, given, judged: structuredClone(value) };
  }
  const [only, ...others] = Object.values(given);
  // A tool of one text gets the text alone.
  if (others.length === 0 && isDeepStrictEqual(only, value))
    return { input: given, digest: asGiven, given, judged: structuredClone(given) };
  const becomes = inspect(value, whole);
  const note = `${name} gets this as ${becomes}.`;
  const judged = isPlainObject(value) ? value : structuredClone(given);
  return { input: given, note, digest: digestOfCall(name, { input: given, becomes }), given, judged };
}

const whole = {
  depth: 20,
  compact: true,
  breakLength: Number.POSITIVE_INFINITY,
  maxArrayLength: null,
  maxStringLength: null,
};

/**
 * Returns the input with which to call the tool, so that the tool gets what was shown: the shown input, or else the given
 * one. Returns undefined if the schema makes something else of both, as a transform that draws random numbers does.
 */
export async function inputToRun(
  tool: DescribedTool,
  { input, given, digest }: Pick<ShownInput, "input" | "given" | "digest">,
): Promise<Arguments | undefined> {
  for (const args of [input, given]) {
    const again = await showInput(tool, args);
    if (typeof again !== "string" && again.digest === digest) return again.given;
  }
  return undefined;
}
