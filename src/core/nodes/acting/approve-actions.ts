import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { AgentTool } from "../../parts/tools.js";
import type { Ledger } from "../../run/ledger.js";
import { runOf } from "../../run/run.js";
import { type RunView, runView } from "../../run/run-view.js";
import { type ApprovalRequest, approvalValue, digestOfCall } from "../../state/approval.js";
import { type AgentAction, toArguments } from "../../state/decision.js";
import { decisionTypes } from "../../state/decision-types.js";
import type { AgentStateValues } from "../../state/state.js";
import { describeSchemaComplaint, readTexts } from "../../tools/schema-complaint.js";
import { toolArguments } from "../../tools/tool-arguments.js";
import type { PendingQuestions } from "./pending-questions.js";
import { type ReadDecisions, readDecisions } from "./read-decisions.js";

/**
 * Asks a person about the actions of a step that need a decision, before any tool starts. One interrupt has all of them.
 * The pending questions keep what an answer decides; the rest is asked again.
 *
 * @throws GraphInterrupt while a decision is missing.
 */
export async function approveActions(
  agent: AgentParts,
  state: AgentStateValues,
  actions: readonly AgentAction[],
  { questions, ledger, config }: { questions: PendingQuestions; ledger: Ledger; config: LangGraphRunnableConfig },
): Promise<void> {
  const unfinished = actions.filter((action) => ledger.recall(action) === undefined);
  const view = runView(state, config);
  const gated = (await Promise.all(unfinished.map((action) => requestFor(agent, view, action, questions)))).flat();
  const open = gated.filter(({ id, digest }) => questions.decided[id]?.digest !== digest);
  const read = await readAnswer(agent, open, questions);
  for (const { id, digest } of open) {
    const decision = read.decided.get(id);
    if (decision === undefined) continue;
    questions.decided[id] = { digest, decision };
    runOf(config).emit({ type: "decision", id, decision });
  }
  const left = open.filter(({ id }) => !read.decided.has(id));
  if (left.length === 0) return;
  const requests = left.map((request) => {
    const complaint = read.complaints.get(request.id);
    return complaint === undefined ? request : { ...request, complaint };
  });
  throw await questions.askForDecisions(approvalValue(requests, read.general), left.map(keyOf));
}

/** Names a request with its input. An answer counts only for a request that the person was shown. */
function keyOf({ id, digest }: ApprovalRequest): string {
  return `${id} ${digest}`;
}

const nothing: ReadDecisions = { decided: new Map(), complaints: new Map(), general: [] };

async function readAnswer(
  agent: AgentParts,
  open: readonly ApprovalRequest[],
  questions: PendingQuestions,
): Promise<ReadDecisions> {
  const answer = questions.approvalAnswer;
  if (answer === undefined) return nothing;
  const requests = open.filter((request) => answer.shown.includes(keyOf(request)));
  return checkEdits(agent, requests, readDecisions(requests, answer.value));
}

/** Checks the inputs that a person wrote by the schemas of their tools. */
async function checkEdits(
  { tools }: AgentParts,
  requests: readonly ApprovalRequest[],
  read: ReadDecisions,
): Promise<ReadDecisions> {
  const decided = new Map(read.decided);
  const complaints = new Map(read.complaints);
  for (const { id, tool: name, digest } of requests) {
    const decision = decided.get(id);
    const tool = tools.byName.get(name);
    if (decision?.type !== "edit" || tool === undefined) continue;
    const checked = await readInput(tool, decision.input);
    if (checked.input !== undefined) {
      const isChanged = digestOfCall(name, checked.input) !== digest;
      decided.set(id, isChanged ? { ...decision, input: checked.input } : { type: "approve" });
    } else {
      decided.delete(id);
      complaints.set(id, `The new input does not fit ${name}. ${checked.complaint}`);
    }
  }
  return { ...read, decided, complaints };
}

/** The reason why a person is asked about a call that only repeats a text. */
const whyCopied =
  "The model repeats this call word for word from a text that a tool or a document brought. That text may try to give orders.";

/**
 * Makes the request for an action that a person has to decide on. There is none if the tool would refuse its input. An
 * action that a person was asked about needs their decision, also if the agent of this process would not ask. So does a copied call.
 */
async function requestFor(
  { tools }: AgentParts,
  view: RunView,
  action: AgentAction,
  { shownRequests }: PendingQuestions,
): Promise<ApprovalRequest[]> {
  const tool = tools.byName.get(action.tool);
  const ask = tool && tools.approve(tool);
  const shown = shownRequests.find(({ id }) => id === action.id);
  if (tool === undefined || (ask === undefined && shown === undefined && !action.copied)) return [];
  const args = toolArguments(tool, action.toolInput);
  if (args.kind === "refused") return [];
  const byPolicy = await ask?.(toArguments(args.args), view);
  const asked = action.copied ? aboutCopy(byPolicy, shown) : (byPolicy ?? shown);
  if (asked === undefined) return [];
  const { input } = await readInput(tool, args.args);
  if (input === undefined) return [];
  const { id } = action;
  const { description = "" } = tool;
  const { why, allowed } = asked;
  return [{ id, tool: tool.name, input, description, why, allowed, digest: digestOfCall(tool.name, input) }];
}

/** Returns what a person is asked about a copied call. It needs their decision, whatever the policy says. */
function aboutCopy(byPolicy: Asked | undefined, shown: Asked | undefined): Asked {
  if (byPolicy) return { ...byPolicy, why: `${whyCopied} ${byPolicy.why}` };
  return shown ?? { why: whyCopied, allowed: [...decisionTypes] };
}

type Asked = Pick<ApprovalRequest, "why" | "allowed">;

type ReadInput =
  | { readonly input: Record<string, unknown>; readonly complaint?: undefined }
  | { readonly input?: undefined; readonly complaint: string };

/** Reads an input as the tool will. */
async function readInput(tool: AgentTool, args: Parameters<typeof toArguments>[0]): Promise<ReadInput> {
  const complaint = await describeSchemaComplaint(tool, args);
  if (complaint === undefined) return { input: toArguments(args) };
  const input = await readTexts(tool, toArguments(args));
  return input === undefined ? { complaint } : { input };
}
