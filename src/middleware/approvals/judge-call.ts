import { unseenIn } from "../../base/unseen-signs.js";
import { wrongInput } from "../../core/nodes/acting/outcomes.js";
import type { Verdict } from "../../core/parts/plugin.js";
import { metadataOf } from "../../core/parts/tool-metadata.js";
import type { AgentTool } from "../../core/parts/tools.js";
import { callOf } from "../../core/run/notes.js";
import type { ApprovalRequest } from "../../core/state/approval.js";
import type { AgentAction } from "../../core/state/decision.js";
import { decisionTypes } from "../../core/state/decision-types.js";
import { toolArguments } from "../../tool-inputs/tool-arguments.js";
import { toArguments } from "../../tool-inputs/tool-input.js";
import type { RunView } from "../run-view.js";
import type { AskedCall } from "./asked-call.js";
import { inputToRun, type ShownInput, showInput } from "./shown-input.js";

/** A person's part in the calls of a tool: why they are asked about a call, and what they can decide. */
export type Approval = (
  input: Readonly<Record<string, unknown>>,
  view: RunView,
) => Promise<Pick<ApprovalRequest, "why" | "allowed"> | undefined>;

/** The reason why a person is asked about a call that only repeats a text. */
const whyCopied =
  "The model copied this call word for word from a text that a tool or a document brought. That text may contain orders.";

/** The reason why a person is asked about a call that comes after the answer. */
const whyOrdered = "This call comes after the answer of its turn, and it has effects.";

type Asked = Pick<ApprovalRequest, "why" | "allowed">;

/**
 * Judges a call before its tool runs. An action that a person was asked about needs their decision, even if the agent of this
 * process would not ask. A copied call always needs one, and so does an effect that no model asked for, or that may not be whole.
 *
 * @param ask Tells whether a person is asked about a call of the tool; undefined if nobody ever is.
 * @param before What a person was asked about the action. The same call is not parsed anew: it would get another date.
 * @returns The call if a person decides about it, or else the verdict; undefined if nobody judges it.
 */
export async function judgeCall(
  tool: AgentTool,
  ask: Approval | undefined,
  view: RunView,
  action: AgentAction,
  before: AskedCall | undefined,
): Promise<AskedCall | Verdict | undefined> {
  const { unsure } = action;
  if (unsure && !unsure.asks) return undefined;
  const anyway = whyAnyway(tool, action);
  if ((ask ?? before ?? anyway) === undefined) return undefined;
  const call = callOf(action);
  if (before?.call === call) return before;
  const args = toolArguments(tool, action.toolInput);
  if (args.kind === "refused") return undefined;
  const shown = await showInput(tool, toArguments(args.args));
  // The schema may say another thing the next time, so that the tool is not tried.
  if (typeof shown === "string") return { instead: wrongInput(tool.name, shown) };
  const byPolicy = await ask?.(shown.judged, view);
  const asked = anyway ? askedAnyway(anyway, byPolicy, before?.request) : (byPolicy ?? before?.request);
  if (asked === undefined) {
    const input = await inputToRun(tool, shown);
    return input && { input };
  }
  const { why, allowed } = asked;
  const { name, description = "" } = tool;
  const askedAt = new Date().toISOString();
  const request = { id: action.id, tool: name, description, why, allowed, ...requested(shown), askedAt };
  return { call, request, given: shown.given, isEdit: false, isAgain: false };
}

/** Returns why a call needs a decision, whatever the policy says; undefined if it does not. */
function whyAnyway(tool: AgentTool, { copied, ordered, unsure }: AgentAction): string | undefined {
  if (copied) return whyCopied;
  if (unsure)
    return `The server ended the reply with the finish reason "${unsure.finishReason}": the call may not be whole.`;
  return ordered && metadataOf(tool).effects ? whyOrdered : undefined;
}

function askedAnyway(why: string, byPolicy: Asked | undefined, shown: Asked | undefined): Asked {
  if (byPolicy) return { ...byPolicy, why: `${why} ${byPolicy.why}` };
  return shown ?? { why, allowed: [...decisionTypes] };
}

/** Returns the part of a request that tells of the input. */
export function requested({ input, note, digest }: ShownInput): Pick<ApprovalRequest, "input" | "note" | "digest"> {
  const unseen = unseenIn(JSON.stringify(input));
  const names = [...new Set(unseen)].slice(0, 5).join(", ");
  const hidden = unseen.length > 0 && `The input has invisible characters (${unseen.length}), such as ${names}.`;
  return { input, note: [note, hidden].filter(Boolean).join(" ") || undefined, digest };
}
