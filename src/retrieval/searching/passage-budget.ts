import { estimateTokens } from "../../model/calling/token-estimate.js";
import type { Source } from "../../turn/source.js";

/** How much of what was found an answer is made of. */
export interface PassageBudget {
  readonly maxPassages: number;
  /** The most tokens in one prompt. */
  readonly maxTokens: number;
  /** True if one prompt shows all passages. Otherwise each prompt shows one. */
  readonly isJoined: boolean;
}

/** Returns the passages that fit, the best first. One that is too long alone is cut. */
export function withinBudget(
  passages: readonly Source[],
  { maxPassages, maxTokens, isJoined }: PassageBudget,
): Source[] {
  let left = maxTokens;
  const kept: Source[] = [];
  for (const source of passages) {
    if (kept.length === maxPassages) break;
    const passage = cutTo(source.passage ?? "", maxTokens);
    const tokens = estimateTokens(passage);
    if (isJoined && tokens > left && kept.length > 0) continue;
    left -= tokens;
    kept.push({ ...source, passage });
  }
  return kept;
}

/** Cuts a text to a number of tokens. It ends at a space if there is one near. */
function cutTo(text: string, maxTokens: number): string {
  if (estimateTokens(text) <= maxTokens) return text;
  const bytes = Buffer.from(text).subarray(0, maxTokens * 4 - 4);
  const whole = new TextDecoder().decode(bytes).replace(/\uFFFD+$/, "");
  const space = whole.lastIndexOf(" ");
  return `${space > whole.length - 100 ? whole.slice(0, space) : whole}…`;
}
