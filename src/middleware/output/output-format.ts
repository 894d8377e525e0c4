import { z } from "zod";
import { parsedJson } from "../../base/attempted.js";
import { InvalidOptionError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { exampleValue } from "../../protocols/prompt/example-input.js";
import { jsonPieces } from "../../protocols/reading/json-pieces.js";
import { describeSchema } from "../../tool-inputs/parameters.js";
import { complaintsIn, describeComplaints, mended } from "../../tool-inputs/schema-complaint.js";
import { heldValue, type JsonSchema, jsonSchemaOf, type OutputSchema, objectSchemaOf } from "./output-schema.js";

/** What a text is as an output: JSON that fits, or a reason why it does not. */
type OutputReading =
  | { readonly kind: "fits"; readonly json: string }
  | { readonly kind: "misfit"; readonly why: string };

/** The format of an agent's answers, made of the option `output`. */
export class OutputFormat {
  /** The JSON schema of an output. */
  readonly json: JsonSchema;
  /**
   * The JSON schema of an object that holds the output. Equal to the schema of the output if the output is an object itself.
   */
  readonly object: JsonSchema;
  /** The name of the tool whose call gives an output. No other tool has it. */
  readonly toolName: string;
  /** An output as JSON. Left out if none is easily made. */
  readonly example?: string;
  readonly #keys: ReadonlySet<string>;
  /** The keys of an output, and of an object that holds one. */
  readonly #partKeys: ReadonlySet<string>;

  /**
   * @param names The names of the agent's tools.
   * @throws InvalidOptionError when the schema is not of plain JSON.
   */
  constructor(
    private readonly schema: OutputSchema,
    names: ReadonlyMap<string, unknown>,
  ) {
    this.toolName = freeName("final_answer", names);
    this.json = jsonSchemaOf(schema);
    this.object = objectSchemaOf(schema, this.json);
    this.#keys = new Set(keysIn(this.json));
    this.#partKeys = new Set(keysIn(this.object));
    const example = exampleValue(this.json);
    if (this.#check(example).success) this.example = JSON.stringify(example);
  }

  /**
   * Reads an answer. Its JSON may stand in a fence, between words or in one wrapper that the schema does not have, and may have
   * small errors.
   */
  read(answer: string): OutputReading {
    const text = answer.trim();
    const pieces = [...jsonPieces(text)].map(({ value }) => value);
    // A model that corrects itself writes what counts at the end.
    const values = [parsedJson(text), ...pieces.reverse()].filter((value) => value !== undefined);
    const takesText = this.#check(text).success;
    for (const value of [...values, text]) {
      const fit = this.#checkMended(value);
      const inside = takesText ? undefined : heldInWrapper(value, fit.data);
      const fitInside = this.#checkMended(inside);
      if (inside !== undefined && fitInside.success) return this.#taken(inside, fitInside.data);
      if (fit.success) return this.#taken(value, fit.data);
    }
    return { kind: "misfit", why: `${this.#misfit(text, values)} Its form must be: ${describeSchema(this.json)}.` };
  }

  /**
   * Tells whether a JSON value is surely meant as an output, even if it does not fit yet: the schema names all of its keys.
   */
  isMeant(value: unknown): boolean {
    const keys = keysOf(value);
    return keys.every((key) => this.#keys.has(key)) && (keys.length > 0 || this.#check(value).success);
  }

  /** Tells whether a JSON value, or the beginning of one, is no output: it has keys that the schema does not name. */
  isOther(value: unknown): boolean {
    return value === undefined || keysOf(value).some((key) => !this.#partKeys.has(key));
  }

  /** Returns the fields in the beginning of an output, without validation; undefined as long as the text may be no output. */
  partOf(value: unknown): unknown {
    const held = this.object === this.json ? undefined : heldValue(value);
    if (held !== undefined) return held;
    return !this.isOther(value) && this.isMeant(value) ? value : undefined;
  }

  /** Tells whether a text that breaks off begins like an output: with JSON whose keys the schema names. */
  isBegun(text: string): boolean {
    const keys = [...text.matchAll(/"([^"\\]+)"\s*:/g)].map(([, key = ""]) => key);
    return /^\s*(?:```\w*\s*)?[{[]/.test(text) && keys.every((key) => this.#keys.has(key));
  }

  #check(value: unknown): z.core.util.SafeParseResult<unknown> {
    const held = heldValue(value);
    try {
      const fit = held === undefined || this.object === this.json ? undefined : z.core.safeParse(this.schema, held);
      return fit?.success ? fit : z.core.safeParse(this.schema, value);
    } catch (error) {
      if (!(error instanceof z.core.$ZodAsyncError)) throw error;
      throw new InvalidOptionError("output", "this schema has an asynchronous check; use checks that need not wait.");
    }
  }

  /** Checks a value, and reads in it what the schema refuses, as the arguments of a tool are read. */
  #checkMended(value: unknown, triesLeft = 2): z.core.util.SafeParseResult<unknown> {
    const fit = this.#check(value);
    if (fit.success || triesLeft === 0) return fit;
    return this.#checkMended(mended(value, complaintsIn(fit.error)), triesLeft - 1);
  }

  /** An example in a prompt has gaps. A model that only copies it has no answer. */
  #taken(value: unknown, data: unknown): OutputReading {
    const isCopy = this.example?.includes(gap) && JSON.stringify(value) === this.example;
    if (isCopy) return { kind: "misfit", why: "It copies the example, with nothing filled in." };
    return { kind: "fits", json: JSON.stringify(data) };
  }

  #misfit(text: string, [value]: readonly unknown[]): string {
    const fit = this.#check(value);
    if (value !== undefined && !fit.success)
      return `It does not fit: ${describeComplaints(complaintsIn(fit.error), value)}.`;
    return /[[{]/.test(text) ? "Its JSON breaks off, or cannot be read." : "It is no JSON.";
  }
}

function freeName(name: string, names: ReadonlyMap<string, unknown>): string {
  return names.has(name) ? freeName(`${name}_`, names) : name;
}

const gap = "…";

/** Returns the keys of an object, or of the objects in a list. */
function keysOf(value: unknown): string[] {
  return [value].flat().flatMap((item) => (isRecord(item) ? Object.keys(item) : []));
}

/**
 * Returns the object or the list in an object of one field, or the object in a list of one. It is in no wrapper if the schema keeps
 * the field or the list. A number in brackets is a citation.
 */
function heldInWrapper(value: unknown, data: unknown): unknown {
  const [[key, part] = ["", undefined], ...others] = Object.entries(Object(value));
  const isWrapper = others.length === 0 && !Object.hasOwn(Object(data), key);
  return isWrapper && (isRecord(part) || (isRecord(value) && Array.isArray(part))) ? part : undefined;
}

/** Yields the names of the properties in a JSON schema, at all depths. */
function* keysIn(schema: unknown): Generator<string> {
  if (typeof schema !== "object" || schema === null) return;
  if ("properties" in schema && isRecord(schema.properties)) yield* Object.keys(schema.properties);
  for (const part of Object.values(schema)) yield* keysIn(part);
}
