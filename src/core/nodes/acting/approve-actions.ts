import { isDeepStrictEqual } from "node:util";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { AgentTool } from "../../parts/tools.js";
import { DECIDER_KEY } from "../../run/keeper.js";
import type { Ledger } from "../../run/ledger.js";
import type { AskedCall } from "../../run/notes.js";
import { runOf } from "../../run/run.js";
import { runView } from "../../run/run-view.js";
import { type ApprovalDecision, type ApprovalRequest, approvalValue, decidedSchema } from "../../state/approval.js";
import type { AgentAction } from "../../state/decision.js";
import type { AgentStateValues } from "../../state/state.js";
import { inputToRun, showInput } from "../../tools/shown-input.js";
import { neverTheSame, type Verdict, wrongInput } from "./decided-call.js";
import { judgeCall, requested } from "./judge-call.js";
import type { PendingQuestions } from "./pending-questions.js";
import { type ReadDecisions, readDecisions } from "./read-decisions.js";

/**
 * Judges the calls of a step before any tool starts. A person is asked about those that need a decision. One interrupt has all
 * of them. The pending questions keep what an answer decides; the rest is asked again.
 *
 * @returns The verdicts, by the ids of the actions. A call that nobody judges has none.
 * @throws GraphInterrupt while a decision is missing.
 */
export async function approveActions(
  agent: AgentParts,
  state: AgentStateValues,
  actions: readonly AgentAction[],
  { questions, ledger, config }: { questions: PendingQuestions; ledger: Ledger; config: LangGraphRunnableConfig },
): Promise<ReadonlyMap<string, Verdict>> {
  const unfinished = actions.filter((action) => ledger.recall(action) === undefined);
  const view = runView(state, config);
  const judge = (action: AgentAction) => judgeCall(agent, view, action, questions.callAsked(action));
  const judged = (await Promise.all(unfinished.map(judge))).flatMap((result) => result ?? []);
  const asked = judged.flatMap((result) => ("request" in result ? [result] : []));
  const read = readAnswer(asked, questions);
  const settled = await Promise.all(asked.map((call) => settle(agent.tools.byName, call, read)));
  const decided = decidedSchema.safeParse(config.configurable?.[DECIDER_KEY]).data;
  const isNew = ({ request, decision }: AskedCall) => decision !== undefined && read.decided.has(request.id);
  questions.keep(settled.map(({ call }) => (isNew(call) ? { ...call, decided } : call)));
  for (const { call } of settled) {
    const { request, decision } = call;
    if (decision && isNew(call)) {
      runOf(config).emit({ type: "decision", id: request.id, decision, ...(decided && { decided }) });
    }
  }
  const left = settled.filter(({ call }) => call.decision === undefined);
  if (left.length > 0) {
    const requests = left.map(({ call, complaint }) => ({
      ...call.request,
      ...(complaint !== undefined && { complaint }),
    }));
    throw await questions.askForDecisions(approvalValue(requests, read.general), requests.map(keyOf));
  }
  const verdicts = [...judged, ...settled.map(({ verdict }) => verdict)];
  return new Map(verdicts.flatMap((verdict) => (verdict && !("request" in verdict) ? [[verdict.id, verdict]] : [])));
}

/** Names a request with its input. An answer counts only for a request that the person was shown. */
function keyOf({ id, digest }: ApprovalRequest): string {
  return `${id} ${digest}`;
}

function readAnswer(asked: readonly AskedCall[], { approvalAnswer: answer }: PendingQuestions): ReadDecisions {
  if (answer === undefined) return { decided: new Map(), complaints: new Map(), general: [] };
  const open = asked.filter(({ decision, request }) => !decision && answer.shown.includes(keyOf(request)));
  return readDecisions(
    open.map(({ request }) => request),
    answer.value,
  );
}

/** A call after an answer: with its decision and a verdict, or with a complaint and without a decision. */
interface Settled {
  readonly call: AskedCall;
  readonly verdict?: Verdict;
  readonly complaint?: string | undefined;
}

/** Takes what an answer says about a call. If its tool may run, finds the input that it runs with. */
async function settle(tools: AgentParts["tools"]["byName"], call: AskedCall, read: ReadDecisions): Promise<Settled> {
  const { id, tool: name } = call.request;
  const tool = tools.get(name);
  const decision = read.decided.get(id);
  if (tool === undefined) return { call };
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
  const { id } = request;
  const input = await inputToRun(tool, { ...request, given });
  if (input) return { call, verdict: { id, input } };
  if (isAgain) return { call, verdict: { id, instead: neverTheSame(tool.name) } };
  const shown = await showInput(tool, given);
  if (typeof shown === "string") return { call, verdict: { id, instead: wrongInput(tool.name, shown) } };
  const again = { ...call, request: { ...request, ...requested(shown) }, isAgain: true, decision: undefined };
  return {
    call: again,
    complaint:
      "The tool would now get another input than the one you were shown. Look at the new input, and decide again.",
  };
}
