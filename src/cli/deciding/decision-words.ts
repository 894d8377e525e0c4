import { isRecord } from "../../base/is-record.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";

/** What a person may type at the prompt, besides the beginning of a word. */
const words: Readonly<Record<string, DecisionType>> = {
  approve: "approve",
  yes: "approve",
  edit: "edit",
  refuse: "refuse",
  no: "refuse",
  answer: "answer",
};

/** Finds the decision that a person means by a word or by its beginning; undefined unless exactly one is possible. */
export function meantBy(typed: string, allowed: readonly DecisionType[]): DecisionType | undefined {
  const meant = new Set(
    Object.entries(words).flatMap(([word, type]) =>
      typed !== "" && word.startsWith(typed.toLowerCase()) && allowed.includes(type) ? [type] : [],
    ),
  );
  return meant.size === 1 ? [...meant][0] : undefined;
}

/**
 * Makes a decision about a call.
 *
 * @param text The reason, the input as JSON, or the answer.
 * @returns The decision, or what is wrong with the text.
 */
export function decisionFrom(type: DecisionType, text: string, { digest }: ApprovalRequest): ApprovalDecision | string {
  switch (type) {
    case "approve":
      return text === "" ? { type, digest } : `"approve" takes no words, but there are some: ${text}.`;
    case "edit":
      return editFrom(text, digest);
    case "refuse":
      return { type, ...(text && { reason: text }), digest };
    case "answer":
      return text === ""
        ? 'The answer is empty. Give its text, such as: answer "Tonight at 8".'
        : { type, answer: text, digest };
  }
}

function editFrom(text: string, digest: string): ApprovalDecision | string {
  const input = parseJson(text);
  if (isRecord(input)) return { type: "edit", input, digest };
  return 'The new input is no JSON object. Give all fields of it, such as {"amount": 5}.';
}

/** Reads the answer to a question of a tool: data if it is an object or a list in JSON, else the text as it is. */
export function readAnswer(text: string): unknown {
  const data = parseJson(text);
  return typeof data === "object" && data !== null ? data : text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
