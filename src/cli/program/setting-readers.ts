import { InvalidArgumentError } from "@commander-js/extra-typings";
import type { Memory } from "../../core/parts/memory.js";
import { approvePolicies, type PolicyName } from "../../middleware/approvals/policy-names.js";
import { type ProtocolName, protocolChoices } from "../../protocols/names.js";
import { type ToolName, toolNames } from "../../tools/named-tools.js";

// Each function reads the text of a setting or an option. It throws an error of the parser that says what is possible.

/** Reads a whole number of at least 1. */
export function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number of at least 1.");
}

/** Reads a whole number from 0. */
export function whole(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 0.");
}

/** Reads a whole number of seconds. Returns milliseconds. */
export function seconds(text: string): number {
  return count(text) * 1_000;
}

export function dollars(text: string): number {
  if (/^\d{1,9}(?:\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("Give a number above 0, such as 0.50.");
}

export function temperature(text: string): number {
  if (/^(?:[01](?:\.\d+)?|2(?:\.0+)?)$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a number from 0 to 2.");
}

export function trueOrFalse(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError("Give true or false.");
}

/** Reads the name of a protocol; undefined leaves the choice to the agent. */
export function protocol(text: string): ProtocolName | undefined {
  const choice = oneOf(protocolChoices, text, `There is no protocol "${text}".`);
  return choice === "auto" ? undefined : choice;
}

export function approval(text: string): PolicyName {
  return oneOf(approvePolicies, text, `There is no policy "${text}".`);
}

function oneOf<Name extends string>(names: readonly Name[], text: string, wrong: string): Name {
  const name = names.find((possible) => possible === text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError(`${wrong} Give one of: ${names.join(", ")}.`);
}

export function tools(text: string): ToolName[] {
  if (text.trim() === "none") return [];
  return [...new Set(text.split(",").map((name) => tool(name.trim())))];
}

function tool(text: string): ToolName {
  const name = toolNames.find((possible) => possible === text);
  if (name) return name;
  throw new InvalidArgumentError(`"${text}" is no tool. Give some of ${toolNames.join(",")}, or none.`);
}

const memories = ["buffer", "window", "window:5", "tokens:4000", "summary", "summary:2"];

/** Reads a memory, with its number of turns or tokens. Returns a function that makes it: its code is imported only then. */
export function memory(text: string): () => Promise<Memory> {
  const [, kind, number] = /^(buffer$|window|tokens(?=:)|summary)(?::([1-9]\d{0,8}))?$/.exec(text) ?? [];
  if (kind === undefined)
    throw new InvalidArgumentError(`There is no memory "${text}". Give one such as: ${memories.join(", ")}.`);
  return async () => {
    const { buffer, summary, tokenBudget, window } = await import("../../memory/index.js");
    if (kind === "buffer") return buffer();
    if (kind === "tokens") return tokenBudget({ tokens: Number(number) });
    const turns = number === undefined ? {} : { turns: Number(number) };
    return kind === "window" ? window(turns) : summary(turns);
  };
}
