import { parsedJson } from "../base/attempted.js";
import { isRecord } from "../base/is-record.js";
import type { CallPiece } from "../provider-forms/call-pieces.js";

/** A call whose pieces were joined. Its arguments are as they were written; those of a custom tool of OpenAI are its input. */
interface JoinedCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: string | { readonly input: string };
}

/**
 * Joins the pieces of tool calls by what they say of themselves: a piece belongs to the last call of its index. A name with
 * another id begins a new call, and so does a name without an id after arguments that are whole. A call without arguments has `{}`.
 */
export function joinCalls(pieces: readonly CallPiece[]): JoinedCall[] {
  const calls: CallPiece[] = [];
  for (const given of pieces) {
    // Mistral's client writes this text for an id that is missing.
    const piece = given.id === "null" ? { ...given, id: "" } : given;
    const place = calls.findLastIndex(({ index }) => String(index) === String(piece.index));
    const call = calls[place];
    if (call === undefined || beginsCall(piece, call)) calls.push(piece);
    else calls[place] = joined(call, piece);
  }
  return calls.map(({ id, name, args, isCustomTool }) => ({
    id: id || undefined,
    name,
    args: isCustomTool ? { input: args } : args.trim() || "{}",
  }));
}

function beginsCall({ id, name }: CallPiece, call: CallPiece): boolean {
  if (name === "" || call.name === "") return false;
  return id === "" || call.id === "" ? readArguments(call.args) !== undefined : id !== call.id;
}

/** A server may repeat the name of a call in each of its pieces, or send the name in two pieces. */
function joined(call: CallPiece, { id, name, args }: CallPiece): CallPiece {
  return { ...call, id: call.id || id, name: name === call.name ? name : call.name + name, args: call.args + args };
}

const fenced = /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/i;

/**
 * Reads the arguments of a call: an object, or a text that is one in JSON, perhaps in a fence. Some servers write the text as JSON
 * once more. What is not whole is not completed.
 */
export function readArguments(args: unknown): Record<string, unknown> | undefined {
  const value = typeof args === "string" ? parsedJson(fenced.exec(args)?.[1] ?? args) : args;
  const inner = typeof value === "string" ? parsedJson(value) : value;
  return isRecord(inner) ? inner : undefined;
}
