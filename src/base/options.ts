import { z } from "zod";
import { describeValue, slipOf } from "./describe-value.js";
import { InvalidOptionError } from "./errors.js";
import { isRecord } from "./is-record.js";
import { similarWord } from "./similar-word.js";
import { isStrictObject } from "./zod-schema.js";

/**
 * Checks an option by its schema and returns it.
 *
 * @param option The option's name, for the error. The path of a wrong part is added to it.
 * @throws InvalidOptionError, which says what is wrong and what is possible.
 */
export function checkedOption<Schema extends z.ZodType>(
  option: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new InvalidOptionError(pathOf(option, issue?.path ?? []), issue?.message ?? "this value is not possible.");
}

/**
 * Checks the options of a function and returns them with their defaults. Unknown names are reported first. A misspelt
 * option would otherwise be reported as missing.
 *
 * @param owner The function's name, which is written before the option's in the error; empty to leave it out.
 * @param elsewhere What an option is called in other libraries, and what it is called here.
 * @throws InvalidOptionError, which names the first wrong option and says what is possible.
 */
export function checkedOptions<Schema extends z.ZodObject>(
  owner: string,
  schema: Schema,
  options: unknown,
  elsewhere: ReadonlyMap<string, string> = new Map(),
): z.output<Schema> {
  if (!isRecord(options)) {
    const reason = `${describeValue(options)} is not possible; give an object.${slipOf(options)} ${listOf(schema)}`;
    throw new InvalidOptionError(owner || "options", reason);
  }
  checkNames(owner, schema, options, elsewhere);
  return checkedOption(owner, schema, options);
}

/** Refuses the first name that a schema does not have, also in the options that are objects of options. */
function checkNames(
  owner: string,
  schema: z.ZodObject,
  options: Readonly<Record<string, unknown>>,
  elsewhere: ReadonlyMap<string, string>,
): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(schema.shape, name));
  if (unknown !== undefined) {
    const places = placesIn(schema);
    const word = elsewhere.get(unknown) ?? unknown;
    const meant = places.get(word) ?? places.get(similarWord(word, [...places.keys()]) ?? "");
    const guess = meant === undefined ? "." : `; did you mean "${meant}"?`;
    throw new InvalidOptionError(pathOf(owner, [unknown]), `there is no such option${guess} ${listOf(schema)}`);
  }
  for (const [name, group] of groupsIn(schema)) {
    const given = options[name];
    if (isRecord(given)) checkNames(pathOf(owner, [name]), group, given, elsewhere);
  }
}

/** Returns the options of a schema that are objects of options themselves. */
function groupsIn({ shape }: z.ZodObject): [string, z.ZodObject][] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject && isStrictObject(inner) ? [[name, inner]] : [];
  });
}

/** Returns where each option of a schema stands, such as `limits.maxSteps`. */
function placesIn(schema: z.ZodObject): Map<string, string> {
  const inner = groupsIn(schema).flatMap(([group, { shape }]) =>
    Object.keys(shape).map((name) => [name, `${group}.${name}`] as const),
  );
  return new Map([...inner, ...Object.keys(schema.shape).map((name) => [name, name] as const)]);
}

function listOf({ shape }: z.ZodObject): string {
  return `The options are: ${Object.keys(shape).join(", ")}.`;
}

/** Writes a path such as `webSearch.apiKey` or `tools[1]`. */
function pathOf(owner: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((before, part) => {
    if (typeof part === "number") return `${before}[${part}]`;
    return before === "" ? String(part) : `${before}.${String(part)}`;
  }, owner);
}

/** Makes the message of a zod schema for a wrong value: the value, and what is possible instead. */
export function give(possible: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined
        ? `it is missing; give ${possible}.`
        : `${describeValue(input)} is not possible; give ${possible}.${slipOf(input)}`,
  };
}

/** Makes the schema of an option that is one of some words. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return z.enum(words, give(`one of ${words.map((word) => `"${word}"`).join(", ")}`));
}

/**
 * Tells whether a value has methods with these names. An object from another copy of a package has them, but not the
 * same class.
 */
export function hasMethods(value: unknown, names: readonly string[]): value is object {
  return (
    typeof value === "object" && value !== null && names.every((name) => typeof Reflect.get(value, name) === "function")
  );
}

/** The schema of an option that counts something. */
export const countOption = z.custom<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  give("a whole number of at least 1"),
);

/**
 * Checks the result of a function that the user gave as an option. The result becomes part of the state of the thread.
 *
 * @param option The name of the option, such as `"memory"`.
 * @param method The name of its method, such as `"remember"`.
 * @throws InvalidOptionError when the result does not match the schema of the state.
 */
export function checkedResult<T>(option: string, method: string, schema: z.ZodType<T>, result: unknown): T {
  const checked = schema.safeParse(result);
  if (checked.success) return checked.data;
  throw new InvalidOptionError(
    option,
    `its ${method} returned a wrong value. ${z.prettifyError(checked.error).replaceAll(/\s+/g, " ")}`,
  );
}
