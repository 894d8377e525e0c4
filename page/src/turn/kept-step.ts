import type { BegunStep, InnerTurn, TurnStep, WholeStep } from "../wire.js";
import { nested } from "./nested-turns.js";
import type { AskedModel, Call } from "./turn.js";

/** A step of a turn that is kept: a whole one, or one in a line. */
export interface KeptStep {
  readonly reply?: string;
  /** Left out if no model was asked for the reply. */
  readonly asked?: AskedModel;
  readonly text?: string;
  readonly kind?: TurnStep["kind"];
  readonly thought?: string;
  readonly why?: string;
  readonly limit?: string;
  readonly correction?: string;
  /** What tools of the provider did for the reply. */
  readonly byProvider: NonNullable<BegunStep["reply"]["byProvider"]>;
  readonly calls: readonly Omit<Call, "inner">[];
  readonly inner: readonly InnerTurn[];
}

/** Reads a step in a line. */
export function ofLine({ reply, kind, why, limit, times, calls }: TurnStep): KeptStep {
  const told = calls.map(({ times, ...call }) => ({ ...call, ...times }));
  const asked = { model: "", ...times };
  // A turn may end without a reply: at a limit that keeps it from asking a model, or where nothing was found.
  const isEnd = kind === "finish" && times === undefined;
  return { reply, kind, why, limit, ...(!isEnd && { asked }), byProvider: [], calls: told, inner: [] };
}

/** Reads a whole step. */
export function ofStep({ reply, decision, results, inner = [] }: WholeStep): KeptStep {
  const { id, model, text, times, usage, byProvider = [] } = reply;
  const told = { reply: id, text, kind: decision?.kind, byProvider, inner: nested(inner) };
  const asked = model === undefined ? undefined : { model, ...times, ...tokensOf(usage) };
  if (decision?.kind === "action") {
    const calls = decision.actions.map(({ id, tool, toolInput: input }) => {
      const result = results.find(({ action }) => action.id === id);
      if (result === undefined) return { id, tool, input };
      const { observation, status, note, times, decision, decided } = result;
      return { id, tool, input, result: observation, status, note, decision, decided, ...times };
    });
    return { ...told, asked, thought: decision.thought, calls };
  }
  if (decision?.kind === "unparseable") {
    const { why, correction } = decision;
    return { ...told, asked, thought: text.trim() || undefined, why, correction, calls: [] };
  }
  return { ...told, asked, thought: decision?.thought, why: decision?.why, calls: [] };
}

type Tokens = Pick<AskedModel, "inputTokens" | "outputTokens" | "cacheReadTokens">;

/** Adds up the tokens of models. A part that no model reports is left out. */
export function tokensOf(models: BegunStep["reply"]["usage"] = {}): Tokens {
  const names = ["inputTokens", "outputTokens", "cacheReadTokens"] as const;
  const sums = names.flatMap((name) => {
    const told = Object.values(models).flatMap((one) => one[name] ?? []);
    return told.length > 0 ? [[name, told.reduce((sum, one) => sum + one, 0)] as const] : [];
  });
  return Object.fromEntries(sums);
}
