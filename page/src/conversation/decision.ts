import type { ApprovalDecision } from "../../../src/core/state/approval.js";
import type { WaitingRequest } from "../wire.js";
import { valueWords } from "./input-point.js";

/** What a person has chosen so far, by the ids of calls. */
export type Choices = Readonly<Record<string, ApprovalDecision>>;

/** A choice with the digest of what was shown: another input is not run. */
export function choiceOf(
  { digest }: WaitingRequest,
  type: "approve" | "refuse" | "answer",
  words = "",
): ApprovalDecision {
  const text = words.trim();
  switch (type) {
    case "approve":
      return { type, digest };
    case "refuse":
      return { type, digest, ...(text && { reason: text }) };
    case "answer":
      return { type, digest, answer: text };
    default:
      return type satisfies never;
  }
}

/** The calls about which nothing is chosen yet. */
export function undecided(requests: readonly WaitingRequest[], choices: Choices): WaitingRequest[] {
  return requests.filter(({ id }) => choices[id] === undefined);
}

/** Approves all calls about which nothing is chosen yet. */
export function approveRest(requests: readonly WaitingRequest[], choices: Choices): Choices {
  const rest = undecided(requests, choices).map((request) => [request.id, choiceOf(request, "approve")] as const);
  return { ...choices, ...Object.fromEntries(rest) };
}

/** Whether a person may approve all calls at once. */
export function canApproveAll(requests: readonly WaitingRequest[]): boolean {
  return requests.length > 1 && requests.every(({ allowed }) => allowed.includes("approve"));
}

/** A value that a tool gets, beside what the model wrote for it. */
export interface InputField {
  readonly name: string;
  readonly value: string;
  /** Left out if it is what the model wrote, null if the model wrote nothing. */
  readonly wrote?: string | null;
}

/** The input of a call, value by value. */
export function fieldsOf({ input, written }: WaitingRequest): InputField[] {
  return Object.entries(input).map(([name, value]) => {
    const words = valueWords(value);
    if (written === undefined || typeof written === "string") return { name, value: words };
    if (!Object.hasOwn(written, name)) return { name, value: words, wrote: null };
    const wrote = valueWords(written[name]);
    return wrote === words ? { name, value: words } : { name, value: words, wrote };
  });
}

/** What the model wrote and the tool does not get: values that were left out, or a whole input that is no object. */
export function leftOutOf({ input, written }: WaitingRequest): string | undefined {
  if (written === undefined) return undefined;
  if (typeof written === "string") return Object.values(input).includes(written) ? undefined : written;
  const left = Object.entries(written).filter(([name]) => !Object.hasOwn(input, name));
  return left.length === 0 ? undefined : left.map(([name, value]) => `${name} ${valueWords(value)}`).join(", ");
}
