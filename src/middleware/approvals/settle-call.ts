import { isDeepStrictEqual } from "node:util";
import { wrongInput } from "../../core/nodes/acting/outcomes.js";
import type { Verdict } from "../../core/parts/plugin.js";
import type { AgentTool } from "../../core/parts/tools.js";
import type { ApprovalDecision } from "../../core/state/approval.js";
import type { AskedCall } from "./asked-call.js";
import { requested } from "./judge-call.js";
import { neverTheSame } from "./outcomes.js";
import type { ReadDecisions } from "./read-decisions.js";
import { inputToRun, showInput } from "./shown-input.js";

/** A call after an answer: with its decision and a verdict, or with a complaint and without a decision. */
export interface Settled {
  readonly call: AskedCall;
  readonly verdict?: Verdict;
  readonly complaint?: string | undefined;
}

/** Takes what an answer says about a call. If its tool may run, finds the input that it runs with. */
export async function settleCall(tool: AgentTool, call: AskedCall, read: ReadDecisions): Promise<Settled> {
  const { id } = call.request;
  const decision = read.decided.get(id);
  const taken = decision ? await take(tool, call, decision) : { call, complaint: read.complaints.get(id) };
  const { type } = taken.call.decision ?? {};
  return type === "approve" || type === "edit" ? await check(tool, taken.call) : taken;
}

/** Takes a decision. An edit that the tool would get otherwise than it was written is shown first. */
async function take(tool: AgentTool, call: AskedCall, decision: ApprovalDecision): Promise<Settled> {
  if (decision.type !== "edit") return { call: approved(call, decision) };
  // A schema may refuse its own output, such as a list that it made of a text.
  if (isDeepStrictEqual(decision.input, call.request.input)) return { call: approved(call, { type: "approve" }) };
  const shown = await showInput(tool, decision.input);
  if (typeof shown === "string") return { call, complaint: `The new input does not fit ${tool.name}. ${shown}` };
  if (shown.digest === call.request.digest) return { call: approved(call, { type: "approve" }) };
  const edited = { ...call, request: { ...call.request, ...requested(shown) }, given: shown.given, isEdit: true };
  if (shown.note === undefined) return { call: approved(edited, { type: "approve" }) };
  return {
    call: edited,
    complaint: "The tool would get another input than the one you wrote. Look at the new input, and decide again.",
  };
}

/** Adds a decision to a call. To approve what a person wrote is an edit. */
function approved(call: AskedCall, decision: ApprovalDecision): AskedCall {
  const isEdit = call.isEdit && decision.type === "approve";
  return { ...call, decision: isEdit ? { type: "edit", input: call.request.input } : decision };
}

/** Finds the input with which the tool gets what was shown. If there is none, a person is asked once more. */
async function check(tool: AgentTool, call: AskedCall): Promise<Settled> {
  const { request, given, isAgain } = call;
  const input = await inputToRun(tool, { ...request, given });
  if (input) return { call, verdict: { input } };
  if (isAgain) return { call, verdict: { instead: neverTheSame(tool.name) } };
  const shown = await showInput(tool, given);
  if (typeof shown === "string") return { call, verdict: { instead: wrongInput(tool.name, shown) } };
  const again = { ...call, request: { ...request, ...requested(shown) }, isAgain: true, decision: undefined };
  return {
    call: again,
    complaint:
      "The tool would now get another input than the one you were shown. Look at the new input, and decide again.",
  };
}
