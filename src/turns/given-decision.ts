import { z } from "zod";
import { isRecord } from "../base/is-record.js";
import type { ApprovalDecision } from "../core/state/approval.js";
import { decisionWords, langChainTypes } from "./decision-words.js";

const text = z.string();
const edited = z.record(text, z.unknown()).optional();
/** `message` and the edited action are LangChain's. Its older inbox has `args` for all. */
const givenSchema = z.looseObject({
  type: text,
  message: text.optional(),
  args: z.unknown().optional(),
  editedAction: edited,
  edited_action: edited,
});

/**
 * Returns a decision in our own form, if it is in the words of LangChain: `{ type: "reject", message }`,
 * `{ type: "edit", edited_action }` or `{ type: "response", args }`. A word alone is a decision of that type. Any other
 * value is returned as it is.
 *
 * @param tool The tool of the action. An edit that names another one is no edit of this action.
 */
export function inOurWords(given: unknown, tool?: string): unknown {
  const whole = typeof given === "string" ? { type: given } : given;
  const { data } = givenSchema.safeParse(whole);
  const type = decisionWords.get(data?.type ?? "");
  if (data === undefined || type === undefined) return whole;
  const { message, args, ...own } = data;
  const words = (message ?? (typeof args === "string" ? args : "")) || undefined;
  switch (type) {
    case "approve":
      return { ...own, type };
    case "refuse":
      return { reason: words, ...own, type };
    case "answer":
      return { answer: words, ...own, type };
    case "edit":
      return { ...(editOf(data, tool) ?? own), type };
  }
}

/** Returns a decision in the words of LangChain. The reverse of {@link inOurWords}. */
export function inTheirWords(decision: ApprovalDecision, tool: string): object {
  const type = langChainTypes[decision.type];
  switch (decision.type) {
    case "approve":
      return { type };
    case "edit":
      return { type, editedAction: { name: tool, args: decision.input } };
    case "refuse":
      return { type, message: decision.reason };
    case "answer":
      return { type, message: decision.answer };
  }
}

/** Returns the new input of an edit in LangChain's form. The page may say more about it, such as what was changed. */
function editOf({ edited_action, editedAction, args, digest }: z.infer<typeof givenSchema>, tool: string | undefined) {
  const action = edited_action ?? editedAction ?? (isRecord(args) ? args : {});
  const name = action.name ?? action.action;
  return name !== undefined && name === tool ? { input: action.args, digest } : undefined;
}
