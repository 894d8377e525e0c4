import { z } from "zod";
import type { CallsOfStep, KnownQuestion, Plugin, QuestionOfStep, Verdict } from "../../core/parts/plugin.js";
import type { AgentTool } from "../../core/parts/tools.js";
import { DECIDER_KEY } from "../../core/run/keeper.js";
import { callOf } from "../../core/run/notes.js";
import { runOf } from "../../core/run/run.js";
import { type ApprovalRequest, readApproval } from "../../core/state/approval.js";
import type { AgentAction } from "../../core/state/decision.js";
import { idsIn } from "../../graph/answer-form.js";
import { runView } from "../run-view.js";
import { approvalValue } from "./approval-value.js";
import { type AskedCall, askedCallSchema } from "./asked-call.js";
import { type Approval, judgeCall } from "./judge-call.js";
import { withRequests } from "./langchain-question.js";
import { decided } from "./outcomes.js";
import { type ApprovePolicy, approval } from "./policy.js";
import { decisionsForMiddleware, type ReadDecisions, readDecisions } from "./read-decisions.js";
import { settleCall } from "./settle-call.js";

/**
 * A person decides about calls before they are made. The idea is that of LangGraph's `interrupt` and LangChain's human in the loop.
 *
 * @param policy The calls that a person decides on. A tool may ask for it itself.
 * @param afterOutside True if calls with effects ask once text from outside is in the thread.
 */
export function approvals(policy: ApprovePolicy, afterOutside: boolean): Plugin {
  const approve = approval(policy, afterOutside);
  return {
    name: "approvals",
    judges: (tool) => approve(tool) !== undefined,
    beforeTools: (step) => judgeCalls(step, approve),
    showQuestion: withRequests,
    readQuestion,
  };
}

/**
 * Judges the calls of a step. A person is asked about those that need a decision. One interrupt has all of them. What an answer
 * decides is kept with the question; the rest is asked again.
 */
async function judgeCalls(
  step: CallsOfStep,
  approve: (tool: AgentTool) => Approval | undefined,
): Promise<ReadonlyMap<string, Verdict>> {
  const { state, config, tools, question } = step;
  const kept = askedCallsIn(question.kept);
  const taken = askedCallsIn(question.taken);
  const view = runView(state, config);
  const judged = await Promise.all(
    step.actions.map(async (action) => {
      const before = kept.find(({ request }) => request.id === action.id);
      const tool = tools.get(action.tool);
      const isOpen = tool !== undefined && !step.isOnRecord(action);
      return { action, tool, result: isOpen ? await judgeCall(tool, approve(tool), view, action, before) : undefined };
    }),
  );
  const asked = judged.flatMap(({ tool, result }) =>
    tool && result && "request" in result ? [{ tool, call: result }] : [],
  );
  const read = readAnswer(
    asked.map(({ call }) => call),
    question,
  );
  const settled = await Promise.all(asked.map(({ tool, call }) => settleCall(tool, call, read)));
  const { at = new Date().toISOString(), by } = deciderSchema.parse(config.configurable?.[DECIDER_KEY] ?? {});
  const calls = settled.map(({ call }) => {
    const { decision, request } = call;
    if (decision === undefined || !read.decided.has(request.id)) return call;
    const decided = { ...(request.askedAt && { askedAt: request.askedAt }), at, ...(by !== undefined && { by }) };
    runOf(config).emit({ type: "decision", id: request.id, decision, decided });
    return { ...call, decided };
  });
  const all = [...kept.filter(({ request }) => !calls.some((call) => call.request.id === request.id)), ...calls];
  question.keep(all);
  const left = settled.filter(({ call }) => call.decision === undefined);
  if (left.length > 0) {
    const requests = left.map(({ call, complaint }) => ({
      ...call.request,
      ...(complaint !== undefined && { complaint }),
    }));
    throw await question.ask(approvalValue(requests, read.general), requests.map(keyOf));
  }
  await question.settle();
  const verdicts = new Map(settled.map(({ call, verdict }) => [call.request.id, verdict]));
  return new Map(
    judged.flatMap(({ action, result }) => {
      const own = result && "request" in result ? verdicts.get(action.id) : result;
      const verdict = withDecision(action, step.isOnRecord(action) ? [...taken, ...all] : all, own);
      return verdict ? [[action.id, verdict] as const] : [];
    }),
  );
}

function askedCallsIn(data: readonly unknown[]): AskedCall[] {
  return data.flatMap((call) => askedCallSchema.safeParse(call).data ?? []);
}

const deciderSchema = z.object({ at: z.string().optional(), by: z.string().optional() });

/** Adds what a person decided about a call. A decision about another input of it does not count. */
function withDecision(
  action: AgentAction,
  calls: readonly AskedCall[],
  verdict: Verdict | undefined,
): Verdict | undefined {
  const call = calls.find(({ request }) => request.id === action.id);
  if (call?.decision === undefined || call.call !== callOf(action)) return verdict;
  const { decision, decided: by } = call;
  return { ...decided(action, decision), ...verdict, said: { decision, ...(by && { decided: by }) } };
}

/** Names a request with its input. An answer counts only for a request that the person was shown. */
function keyOf({ id, digest }: ApprovalRequest): string {
  return `${id} ${digest}`;
}

function readAnswer(asked: readonly AskedCall[], { answer }: QuestionOfStep): ReadDecisions {
  if (answer === undefined) return { decided: new Map(), complaints: new Map(), general: [] };
  const open = asked.filter(({ decision, request }) => !decision && answer.shown.includes(keyOf(request)));
  return readDecisions(
    open.map(({ request }) => request),
    answer.value,
  );
}

/** Reads a question of ours, or of a middleware that asks in LangChain's form. */
function readQuestion(value: unknown): KnownQuestion | undefined {
  const asked = readApproval(value);
  if (asked === undefined) return undefined;
  const { by, requests } = asked;
  const ids = requests.map(({ id }) => id);
  return {
    by,
    ids,
    takes: (answer) => idsIn(answer)?.some((id) => ids.includes(id)) ?? true,
    read: (answer) => (by === undefined ? { value: answer } : decisionsForMiddleware(requests, answer)),
  };
}
