import { text as textIn } from "node:stream/consumers";
import { parsedJson } from "../../base/attempted.js";
import type { PersonAsked } from "../../core/run/events.js";
import { idsIn } from "../../core/state/answer-form.js";
import type { ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";
import type { Io } from "../io.js";
import { UsageError } from "../program/exit-codes.js";
import { callText } from "../screen/step-lines.js";
import { type Answerer, answerOnce, decisionFrom, type Person, readAnswer } from "./person.js";

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
 * Returns who answers what waits: the words of a command, or its pipe. Undefined stands for the person at the terminal. The
 * pending call may have changed since the person saw it. So the command names the call, or the person confirms it on sight.
 *
 * @throws UsageError when the words do not fit what waits, or do not name it.
 */
export async function givenAnswer(
  asked: PersonAsked,
  { decision, text, action, command }: GivenWords,
  { stdin }: Io,
): Promise<((person: Person | undefined) => Answerer) | undefined> {
  if (decision === undefined) {
    if (action !== undefined && asked.type === "approval") throw new UsageError(decisionToo);
    if (stdin.isTTY) return undefined;
  }
  const piped = decision === undefined ? await textIn(stdin) : undefined;
  if (piped !== undefined && asked.type === "approval") {
    const answer = pipedDecisions(asked.requests, piped);
    return () => answerOnce(answer);
  }
  const waiting = chosen(waitingIn(asked), action);
  const answer = decision === undefined ? pipedAnswer(piped ?? "") : answerFrom(waiting, decision, text);
  if (action !== undefined) return () => answerOnce(answer);
  if (stdin.isTTY) return (person) => answerOnce(answer, person);
  const words = [...(decision === undefined ? [] : [decision, text]), "--action", waiting.id].filter(Boolean);
  throw new UsageError(
    `Name the call that you decide about, as it may be new to you.${listOf([waiting])}\nType:\n  ${command(words)}`,
  );
}

const decisionToo = "--action: give a decision, too, such as approve.";

/** A call that waits for a decision, or the question that a tool asks itself. */
interface Waiting {
  readonly id: string;
  readonly text: string;
  readonly request?: ApprovalRequest;
}

function waitingIn(asked: PersonAsked): Waiting[] {
  if (asked.type === "interrupt") return [{ id: asked.interrupt, text: "a question of a tool" }];
  return asked.requests.map((request) => ({ id: request.id, text: callText(request.tool, request.input), request }));
}

function chosen(all: readonly Waiting[], action: string | undefined): Waiting {
  const [one, ...others] = all.filter(({ id }) => action === undefined || id === action);
  if (one !== undefined && others.length === 0) return one;
  const wrong = action === undefined ? "Several calls wait" : `No call with the id "${action}" waits`;
  throw new UsageError(`${wrong}. Name one of these:${listOf(all)}`);
}

function listOf(waiting: readonly Waiting[]): string {
  return waiting.map(({ id, text }) => `\n  --action ${id}  ${text}`).join("");
}

function answerFrom({ request }: Waiting, type: DecisionType, text: string): unknown {
  if (request === undefined) {
    if (type === "answer" && text !== "") return readAnswer(text);
    throw new UsageError("A tool asks this question itself. Give: answer TEXT.");
  }
  if (!request.allowed.includes(type)) {
    throw new UsageError(`"${type}" is not possible for ${request.tool}. Possible are: ${request.allowed.join(", ")}.`);
  }
  const decision = decisionFrom(type, text, request);
  if (typeof decision === "string") throw new UsageError(decision);
  return { [request.id]: decision };
}

function pipedDecisions(requests: readonly ApprovalRequest[], piped: string): unknown {
  const answer = parsedJson(piped);
  if (idsIn(answer) !== undefined) return answer;
  throw noDecision(Object.fromEntries(requests.map(({ id }) => [id, "approve"])));
}

function pipedAnswer(piped: string): unknown {
  const answer = parsedJson(piped);
  if (answer !== undefined) return answer;
  throw noDecision("yes");
}

function noDecision(example: unknown): UsageError {
  return new UsageError(
    `There is no decision: give one, such as approve, or pipe JSON in, such as ${JSON.stringify(example)}. ` +
      "Or decide in a terminal, where you are asked.",
  );
}
