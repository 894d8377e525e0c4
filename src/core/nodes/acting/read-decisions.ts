import { z } from "zod";
import { describeValue } from "../../../base/describe-value.js";
import { isRecord } from "../../../base/is-record.js";
import { type ApprovalDecision, type ApprovalRequest, approvalDecisionSchema } from "../../state/approval.js";

/** What an answer decided. */
export interface ReadDecisions {
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
export function readDecisions(requests: readonly ApprovalRequest[], answer: unknown): ReadDecisions {
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
