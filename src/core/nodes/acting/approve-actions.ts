import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import { describeValue } from "../../../base/describe-value.js";
import { isRecord } from "../../../base/is-record.js";
import type { AgentParts } from "../../parts/agent-parts.js";
import type { AgentTool } from "../../parts/tools.js";
import type { Ledger } from "../../run/ledger.js";
import { runOf } from "../../run/run.js";
import { type RunView, runView } from "../../run/run-view.js";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approvalDecisionSchema,
  approvalValue,
  digestOfCall,
} from "../../state/approval.js";
import { type AgentAction, toArguments } from "../../state/decision.js";
import { decisionTypes } from "../../state/decision-types.js";
import type { AgentStateValues } from "../../state/state.js";
import { describeSchemaComplaint, readTexts } from "../../tools/schema-complaint.js";
import { toolArguments } from "../../tools/tool-arguments.js";
import type { PendingQuestions } from "./pending-questions.js";

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

/** What an answer decided. */
interface ReadDecisions {
  /** The decisions, by the id of their action. */
  readonly decided: ReadonlyMap<string, ApprovalDecision>;
  /** What was wrong with a decision, by the id of its action. */
  readonly complaints: ReadonlyMap<string, string>;
  /** What else was wrong with the answer. */
  readonly general: readonly string[];
}

/**
 * Reads the answer to an approval. Each decision counts on its own. Nothing is thrown: LangGraph keeps an answer, so an
 * error would come back in each later run of the thread.
 *
 * @param requests The actions that the person was shown, in their order.
 * @param answer `{ [action id]: decision }`, where a decision may be the word `"approve"` or `"refuse"`. Or LangChain's
 *   `{ decisions: [...] }`, with one decision for each action in their order.
 */
function readDecisions(requests: readonly ApprovalRequest[], answer: unknown): ReadDecisions {
  if (!isRecord(answer)) return refusedWhole(`The answer was ${describeValue(answer)}. ${howToAnswer(requests)}`);
  return Array.isArray(answer.decisions)
    ? readByPosition(requests, answer.decisions)
    : readById(requests, new Map(Object.entries(answer)));
}

function refusedWhole(complaint: string): ReadDecisions {
  return { decided: new Map(), complaints: new Map(), general: [complaint] };
}

function howToAnswer(requests: readonly ApprovalRequest[]): string {
  const example = requests.map(({ id, allowed: [type = "approve"] }) => [id, { type }]);
  return `Give a decision for the id of each action, such as ${JSON.stringify(Object.fromEntries(example))}.`;
}

function readById(requests: readonly ApprovalRequest[], answers: ReadonlyMap<string, unknown>): ReadDecisions {
  const decided = new Map<string, ApprovalDecision>();
  const complaints = new Map<string, string>();
  for (const request of requests) {
    const answer = answers.get(request.id);
    if (answer === undefined) continue;
    const decision = readDecision(request, typeof answer === "string" ? { type: answer } : answer);
    if (typeof decision === "string") complaints.set(request.id, decision);
    else decided.set(request.id, decision);
  }
  const waiting = new Set(requests.map(({ id }) => id));
  const foreign = [...answers.keys()].filter((id) => !waiting.has(id));
  const general = foreign.map((id) => `No action with the id ${JSON.stringify(id)} waits for a decision here.`);
  if (answers.size === 0) general.push(`The answer was empty. ${howToAnswer(requests)}`);
  return { decided, complaints, general };
}

/** Reads one decision. Returns the complaint if it cannot be taken. */
function readDecision({ allowed, digest }: ApprovalRequest, answer: unknown): ApprovalDecision | string {
  const possible = `Possible are: ${allowed.join(", ")}.`;
  const { data, error } = approvalDecisionSchema.safeParse(answer);
  if (data === undefined) return `The decision was not understood: ${firstIssue(error)} ${possible}`;
  if (!allowed.includes(data.type)) return `The decision "${data.type}" is not possible for this action. ${possible}`;
  if (data.digest !== undefined && data.digest !== digest) {
    return "The decision was made about another input of this action. Look at the input, and decide again.";
  }
  return data;
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message}.`;
}

function readByPosition(requests: readonly ApprovalRequest[], decisions: readonly unknown[]): ReadDecisions {
  if (decisions.length !== requests.length) {
    const counts = `The answer had ${decisions.length} decisions for ${requests.length} actions, so none was taken.`;
    return refusedWhole(`${counts} ${howToAnswer(requests)}`);
  }
  return readById(requests, new Map(requests.map(({ id, tool }, n) => [id, fromLangChain(decisions[n], tool)])));
}

const langChainDecision = z.looseObject({ type: z.string(), message: z.string().optional() });
const editedAction = z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) });
const edited = z.looseObject({ editedAction: editedAction.optional(), edited_action: editedAction.optional() });

/** Turns LangChain's decision into ours. Other values are returned as they are, and then refused in words. */
function fromLangChain(decision: unknown, tool: string): unknown {
  const { data } = langChainDecision.safeParse(decision);
  if (data?.type === "approve") return { type: "approve" };
  if (data?.type === "reject") return { type: "refuse", ...(data.message && { reason: data.message }) };
  const edit = data?.type === "edit" ? edited.safeParse(decision).data : undefined;
  const action = edit?.editedAction ?? edit?.edited_action;
  // An edit that names another tool is no edit of this action.
  return action?.name === tool ? { type: "edit", input: action.args } : decision;
}
