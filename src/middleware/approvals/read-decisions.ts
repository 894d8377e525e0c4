import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { describeValue } from "../../base/describe-value.js";
import { isRecord } from "../../base/is-record.js";
import { type ApprovalDecision, type ApprovalRequest, approvalDecisionSchema } from "../../core/state/approval.js";
import { decisionsInOrder } from "../../graph/answer-form.js";
import { inOurWords, inTheirWords } from "../../turns/given-decision.js";
import { isQuestion } from "./approval-value.js";

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
 * @param answer `{ [action id]: decision }`, where a decision may be a word, such as `"approve"`. Or, in the order of the
 *   actions, LangChain's `{ decisions: [...] }`, a list, or one decision alone. A text answers a question that is alone.
 */
export function readDecisions(requests: readonly ApprovalRequest[], answer: unknown): ReadDecisions {
  const inOrder = decisionsInOrder(answer);
  if (inOrder !== undefined) return readByPosition(requests, inOrder);
  if (isRecord(answer)) return readById(requests, new Map(Object.entries(answer)));
  const [question] = requests;
  if (typeof answer === "string" && requests.length === 1 && question && isQuestion(question)) {
    return readById(requests, new Map([[question.id, { type: "answer", answer }]]));
  }
  return refusedWhole(`The answer was ${describeValue(answer)}. ${howToAnswer(requests)}`);
}

/**
 * Returns the decisions of an answer in LangChain's form, as the middleware that asked reads them. It takes all of them at once, and
 * would fail at a wrong one in each later run, as LangGraph keeps an answer. Returns what is wrong with the answer if something is.
 */
export function decisionsForMiddleware(
  requests: readonly ApprovalRequest[],
  answer: unknown,
): { readonly value: { readonly decisions: readonly object[] } } | { readonly why: string } {
  const { decided, complaints, general } = readDecisions(requests, answer);
  const decisions = requests.flatMap(({ id, tool }) => {
    const decision = decided.get(id);
    return decision ? inTheirWords(decision, tool) : [];
  });
  if (decisions.length === requests.length && general.length === 0) return { value: { decisions } };
  const [wrong] = [...general, ...complaints.values()];
  const open = requests.flatMap(({ id }) => (decided.has(id) ? [] : id));
  const why = wrong ?? `the middleware takes all decisions at once, and there is none about ${open.join(", ")}`;
  return { why: why.replace(/\.$/, "") };
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
    const decision = readDecision(request, answer);
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
function readDecision(request: ApprovalRequest, answer: unknown): ApprovalDecision | string {
  const { allowed, digest, tool } = request;
  const possible = `Possible are: ${allowed.join(", ")}.`;
  const { data, error } = approvalDecisionSchema.safeParse(inOurWords(answer, tool));
  if (data === undefined) return `The decision was not understood: ${firstIssue(error)} ${possible}`;
  if (data.digest !== undefined && data.digest !== digest) {
    return "The decision was made about another input of this action. Look at the input, and decide again.";
  }
  if (data.type === "edit" && isQuestion(request)) return answerWrittenOver(request, data.input);
  if (!allowed.includes(data.type)) return `The decision "${data.type}" is not possible for this action. ${possible}`;
  return data;
}

/** Returns the answer that a person wrote over the question. */
function answerWrittenOver(
  { input, digest }: ApprovalRequest,
  written: Readonly<Record<string, unknown>>,
): ApprovalDecision | string {
  const [answer, ...others] = Object.entries(written).flatMap(([name, value]) =>
    isDeepStrictEqual(value, input[name]) ? [] : [value],
  );
  if (typeof answer === "string" && others.length === 0) return { type: "answer", answer, digest };
  return "There is no answer. Write it in the place of the question.";
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message}.`;
}

function readByPosition(requests: readonly ApprovalRequest[], decisions: readonly unknown[]): ReadDecisions {
  if (decisions.length !== requests.length) {
    const counts = `The answer had ${decisions.length} decisions for ${requests.length} actions, so none was accepted.`;
    return refusedWhole(`${counts} ${howToAnswer(requests)}`);
  }
  return readById(requests, new Map(requests.map(({ id }, n) => [id, decisions[n]])));
}
