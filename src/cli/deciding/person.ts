import { parsedJson } from "../../base/attempted.js";
import { isRecord } from "../../base/is-record.js";
import { seenJson, withSeenSigns } from "../../base/unseen-signs.js";
import type { PersonAsked } from "../../core/run/events.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";
import type { Io } from "../io.js";
import { ask } from "../screen/ask.js";
import { screenText } from "../screen/screen-text.js";
import { discardTyped } from "./discard-typed.js";

/** The answer to a question of an agent or of its tool. */
interface PersonsAnswer {
  readonly value: unknown;
}

/** Something that answers the questions of a turn: a person at the terminal, or the words of a command. */
export interface Answerer {
  /** Answers a question that was shown. Returns undefined to leave the thread waiting. */
  answer(asked: PersonAsked): Promise<PersonsAnswer | undefined>;
  /** Ends an answer that is not given yet. */
  leave(): void;
}

/**
 * Returns an answerer with one answer. It leaves the turn waiting at the next question.
 *
 * @param person Says yes to the answer first, if they are given.
 */
export function answerOnce(value: unknown, person?: Person): Answerer {
  const answers: PersonsAnswer[] = [{ value }];
  return {
    answer: async () => ((await person?.agrees()) === false ? undefined : answers.pop()),
    leave: () => person?.leave(),
  };
}

/** The person at the terminal, who answers the questions of a turn there. The view has shown the questions. */
export class Person implements Answerer {
  private readonly left = new AbortController();

  constructor(private readonly io: Io) {}

  /** Asks the person. Returns undefined if they leave. Nothing is decided then. */
  async answer(asked: PersonAsked): Promise<PersonsAnswer | undefined> {
    await this.beginsNow();
    if (asked.type === "interrupt") {
      const text = await this.askText("Your answer: ");
      return text === undefined ? undefined : { value: readAnswer(text) };
    }
    const { requests } = asked;
    const decisions = new Map<string, ApprovalDecision>();
    for (const [n, request] of requests.entries()) {
      const place = requests.length === 1 ? "" : ` (${n + 1} of ${requests.length})`;
      const decision = await this.decide(request, `${request.tool}${place}: ${request.allowed.join(", ")}? `);
      if (decision === undefined) return undefined;
      decisions.set(request.id, decision);
    }
    return { value: Object.fromEntries(decisions) };
  }

  /** Asks for a yes to the decision that was typed before its call was shown. Any other word is a no. */
  async agrees(): Promise<boolean> {
    await this.beginsNow();
    return /^y(?:es)?$/i.test((await this.ask("Confirm this decision? (yes or no) ")) ?? "");
  }

  /** Ends the asking, as if the person had left. */
  leave(): void {
    this.left.abort();
  }

  /** A line that was typed while the agent worked could approve a call that nobody had seen. */
  private async beginsNow(): Promise<void> {
    if (await discardTyped(this.io.stdin)) this.say("What you typed before this question was left out.");
  }

  private async decide(request: ApprovalRequest, prompt: string): Promise<ApprovalDecision | undefined> {
    for (;;) {
      const line = await this.ask(withSeenSigns(prompt));
      if (line === undefined) return undefined;
      const [word = "", text = ""] = line.split(/\s+(.*)/s, 2);
      const type = meantBy(word, request.allowed);
      if (type === undefined) {
        this.say(`Type one of these words, or its beginning: ${request.allowed.join(", ")}.`);
        continue;
      }
      const given = text || (await this.askFor(type, request));
      if (given === undefined) continue;
      const decision = decisionFrom(type, given, request);
      if (typeof decision !== "string") return decision;
      this.say(decision);
    }
  }

  /** Asks for what a decision needs beside its word. Returns undefined if there is nothing. */
  private async askFor(type: DecisionType, { input }: ApprovalRequest): Promise<string | undefined> {
    if (type === "approve") return "";
    if (type === "refuse") return this.ask("Why? (an empty line gives no reason) ");
    if (type === "answer") return this.askText("The answer in place of the result: ");
    const draft = seenJson(input).replaceAll(/\n\s*/g, " ");
    const edited = await this.askText("The new input: ", draft);
    if (edited === draft) this.say("Nothing was changed.");
    return edited === draft ? undefined : edited;
  }

  /** Asks for a line that is not empty. */
  private async askText(prompt: string, draft?: string): Promise<string | undefined> {
    for (;;) {
      const text = await this.ask(prompt, draft);
      if (text !== "") return text;
    }
  }

  private async ask(prompt: string, draft = ""): Promise<string | undefined> {
    return (await ask(prompt, this.io, { draft, signal: this.left.signal }))?.trim();
  }

  private say(sentence: string): void {
    const { stdout, stderr } = this.io;
    (stdout.isTTY ? stdout : stderr).write(`${screenText(sentence)}\n`);
  }
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
