import { setImmediate } from "node:timers/promises";
import { parsedJson } from "../../base/attempted.js";
import { isRecord } from "../../base/is-record.js";
import { seenJson, withSeenSigns } from "../../base/unseen-signs.js";
import type { PersonAsked } from "../../core/run/events.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";
import type { Input, Io } from "../io.js";
import { ask } from "../screen/ask.js";
import { screenText } from "../screen/screen-text.js";

/**
 * Answers what an agent or its tool asks a person. The question was shown.
 *
 * @param left A signal that ends an answer that is not given yet.
 * @returns The value that the turn goes on with; undefined leaves the thread waiting.
 */
export type Answerer = (asked: PersonAsked, left: AbortSignal) => Promise<{ readonly value: unknown } | undefined>;

/** Returns the person at the terminal; undefined if there is none. */
export function personAt(io: Io): Answerer | undefined {
  if (!io.stdin.isTTY) return undefined;
  return async (asked, left) => {
    const terminal: Terminal = {
      ask: async (prompt, draft = "") => (await ask(prompt, io, { draft, signal: left }))?.trim(),
      say: (sentence) => (io.stdout.isTTY ? io.stdout : io.stderr).write(`${screenText(sentence)}\n`),
    };
    // A line that was typed while the agent worked could approve a call that nobody had seen.
    if (await discardTyped(io.stdin)) terminal.say("What you typed before this question was left out.");
    if (asked.type === "interrupt") {
      const text = await askText("Your answer: ", terminal);
      return text === undefined ? undefined : { value: readAnswer(text) };
    }
    const { requests } = asked;
    const decisions = new Map<string, ApprovalDecision>();
    for (const [n, request] of requests.entries()) {
      const place = requests.length === 1 ? "" : ` (${n + 1} of ${requests.length})`;
      const decision = await decide(request, `${request.tool}${place}`, terminal);
      if (decision === undefined) return undefined;
      decisions.set(request.id, decision);
    }
    return { value: Object.fromEntries(decisions) };
  };
}

interface Terminal {
  /** Asks for a line; undefined if the person leaves. */
  ask(prompt: string, draft?: string): Promise<string | undefined>;
  say(sentence: string): void;
}

async function decide(
  request: ApprovalRequest,
  call: string,
  terminal: Terminal,
): Promise<ApprovalDecision | undefined> {
  const allowed = request.allowed.join(", ");
  for (;;) {
    const line = await terminal.ask(withSeenSigns(`${call}: ${allowed}? `));
    if (line === undefined) return undefined;
    const [word = "", text = ""] = line.split(/\s+(.*)/s, 2);
    const type = meantBy(word, request.allowed);
    if (type === undefined) {
      terminal.say(`Type one of these words, or its beginning: ${allowed}.`);
      continue;
    }
    const given = text || (await askFor(type, request, terminal));
    // Who leaves the second question comes back to the first one.
    if (given === undefined) continue;
    const decision = decisionFrom(type, given, request);
    if (typeof decision !== "string") return decision;
    terminal.say(decision);
  }
}

/** Asks for what a decision needs beside its word. Returns undefined if there is nothing. */
async function askFor(type: DecisionType, { input }: ApprovalRequest, terminal: Terminal): Promise<string | undefined> {
  if (type === "approve") return "";
  if (type === "refuse") return terminal.ask("Why? (an empty line gives no reason) ");
  if (type === "answer") return askText("The answer in place of the result: ", terminal);
  const draft = seenJson(input).replaceAll(/\n\s*/g, " ");
  const edited = await askText("The new input: ", terminal, draft);
  if (edited === draft) terminal.say("Nothing was changed.");
  return edited === draft ? undefined : edited;
}

/** Asks for a line that is not empty. */
async function askText(prompt: string, { ask }: Terminal, draft?: string): Promise<string | undefined> {
  for (;;) {
    const text = await ask(prompt, draft);
    if (text !== "") return text;
  }
}

/** Throws away what was typed before a question was shown, as it is no answer to it. Tells whether there was something. */
async function discardTyped(stdin: Input): Promise<boolean> {
  let typed = false;
  const note = () => {
    typed = true;
  };
  // A line that was not entered yet leaves the terminal in raw mode only.
  stdin.setRawMode?.(true);
  stdin.on("data", note);
  stdin.resume();
  // What waits at the terminal is read in the first of these rounds of the event loop.
  for (let round = 0; round < 3; round += 1) await setImmediate();
  stdin.off("data", note);
  stdin.pause();
  stdin.setRawMode?.(false);
  return typed;
}

/** What a person may type at the prompt, besides the beginning of a word. */
const words: Readonly<Record<string, DecisionType>> = {
  approve: "approve",
  yes: "approve",
  edit: "edit",
  refuse: "refuse",
  no: "refuse",
  answer: "answer",
};

/** Finds the decision that a person means by a word or by its beginning; undefined unless exactly one is possible. */
function meantBy(typed: string, allowed: readonly DecisionType[]): DecisionType | undefined {
  const meant = new Set(
    Object.entries(words).flatMap(([word, type]) =>
      typed !== "" && word.startsWith(typed.toLowerCase()) && allowed.includes(type) ? [type] : [],
    ),
  );
  return meant.size === 1 ? [...meant][0] : undefined;
}

/**
 * Makes a decision about a call.
 *
 * @param text The reason, the input as JSON, or the answer.
 * @returns The decision, or what is wrong with the text.
 */
export function decisionFrom(type: DecisionType, text: string, { digest }: ApprovalRequest): ApprovalDecision | string {
  switch (type) {
    case "approve":
      return text === "" ? { type, digest } : `"approve" takes no words, but there are some: ${text}.`;
    case "edit":
      return editFrom(text, digest);
    case "refuse":
      return { type, ...(text && { reason: text }), digest };
    case "answer":
      return text === ""
        ? 'The answer is empty. Give its text, such as: answer "Tonight at 8".'
        : { type, answer: text, digest };
  }
}

function editFrom(text: string, digest: string): ApprovalDecision | string {
  const input = parsedJson(text);
  if (isRecord(input)) return { type: "edit", input, digest };
  return 'The new input is no JSON object. Give all fields of it, such as {"amount": 5}.';
}

/** Reads the answer to a question of a tool: data if it is an object or a list in JSON, else the text as it is. */
export function readAnswer(text: string): unknown {
  const data = parsedJson(text);
  return typeof data === "object" && data !== null ? data : text;
}
