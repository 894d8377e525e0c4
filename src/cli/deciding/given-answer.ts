import { text as textIn } from "node:stream/consumers";
import { parsedJson } from "../../base/attempted.js";
import { isRecord } from "../../base/is-record.js";
import type { PersonAsked } from "../../core/run/events.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";
import { idsIn } from "../../graph/answer-form.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { callText } from "../screen/step-lines.js";
import { type Answerer, decisionFrom, personAt, readAnswer } from "./person.js";

/** What a command says to what waits. */
interface GivenWords {
  readonly decision: DecisionType | undefined;
  readonly text: string;
  /** The id of the call or the question that the person saw. */
  readonly action: string | undefined;
  /** Returns the whole command with these words at its end. */
  command(words: readonly string[]): string;
}

/**
 * Returns who answers what waits: the words of a command, the person at the terminal, or a pipe. Words name the call by its id, as
 * another one may wait since the person saw it.
 *
 * @throws UsageError when the words do not fit what waits, or do not name it.
 */
export async function givenAnswer(asked: PersonAsked, words: GivenWords, io: Io): Promise<Answerer | undefined> {
  const { decision, action } = words;
  if (decision !== undefined) return once(answerFrom(asked, { ...words, decision }));
  if (action !== undefined) throw new UsageError("--action: give a decision, too, such as approve.");
  return personAt(io) ?? once(pipedAnswer(asked, await textIn(io.stdin)));
}

/** Answers with a value, and leaves the turn waiting at the next question. */
function once(value: unknown): Answerer {
  const answers = [{ value }];
  return async () => answers.pop();
}

function answerFrom(
  asked: PersonAsked,
  { decision, text, action, command }: GivenWords & { readonly decision: DecisionType },
): unknown {
  const { id, call, request } = chosen(asked, action);
  const answer = request === undefined ? textFor(decision, text) : { [id]: fitting(request, decision, text) };
  if (action !== undefined) return answer;
  const words = [decision, ...(text === "" ? [] : [text]), "--action", id];
  throw new UsageError(
    `Name the call that you decide about, as it may be new to you.${line({ id, call })}\nType:\n  ${command(words)}`,
  );
}

/** A call that waits for a decision, or the question that a tool asks itself. */
interface Waiting {
  readonly id: string;
  readonly call: string;
  readonly request?: ApprovalRequest;
}

function chosen(asked: PersonAsked, action: string | undefined): Waiting {
  const all: readonly Waiting[] =
    asked.type === "interrupt"
      ? [{ id: asked.interrupt, call: "a question of a tool" }]
      : asked.requests.map((request) => ({ id: request.id, call: callText(request.tool, request.input), request }));
  const [one, ...others] = all.filter(({ id }) => action === undefined || id === action);
  if (one !== undefined && others.length === 0) return one;
  const wrong = action === undefined ? "Several calls wait" : `No call with the id "${action}" waits`;
  throw new UsageError(`${wrong}. Name one of these:${all.map(line).join("")}`);
}

function line({ id, call }: Waiting): string {
  return `\n  --action ${id}  ${call}`;
}

function textFor(type: DecisionType, text: string): unknown {
  if (type === "answer" && text !== "") return readAnswer(text);
  throw new UsageError("A tool asks this question itself. Give: answer TEXT.");
}

function fitting(request: ApprovalRequest, type: DecisionType, text: string): ApprovalDecision {
  const { tool, allowed } = request;
  if (!allowed.includes(type))
    throw new UsageError(`"${type}" is not possible for ${tool}. Possible are: ${allowed.join(", ")}.`);
  const decision = decisionFrom(type, text, request);
  if (typeof decision === "string") throw new UsageError(decision);
  return decision;
}

/** Reads what a pipe says: decisions, or the answer to a tool's own question, by the ids of what waits. */
function pipedAnswer(asked: PersonAsked, piped: string): unknown {
  const answer = parsedJson(piped);
  if (asked.type === "approval" && idsIn(answer) !== undefined) return answer;
  if (asked.type === "interrupt" && isRecord(answer) && asked.interrupt in answer) return answer[asked.interrupt];
  const example =
    asked.type === "interrupt" ? [[asked.interrupt, "yes"]] : asked.requests.map(({ id }) => [id, "approve"]);
  throw new UsageError(
    `There is no decision: give one, such as approve, or pipe JSON in, such as ${JSON.stringify(Object.fromEntries(example))}. ` +
      "Or decide in a terminal, where you are asked.",
  );
}
