import { parsedJson } from "../../base/attempted.js";
import { GlassloopError } from "../../base/errors.js";
import { isRecord } from "../../base/is-record.js";
import { seenJson, withSeenSigns } from "../../base/unseen-signs.js";
import type { PersonAsked } from "../../core/run/events.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";
import type { Io, Output } from "../io.js";
import { interruptible } from "../program/interruptible.js";
import { LineReader } from "../screen/line-reader.js";
import { screenText } from "../screen/screen-text.js";
import { editorOf, editText } from "./edit-text.js";

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
  private readonly screen: Output;

  constructor(
    private readonly lines: LineReader,
    private readonly io: Io,
  ) {
    this.screen = io.stdout.isTTY ? io.stdout : io.stderr;
  }

  /** Asks the person. Returns undefined if they leave. Nothing is decided then. */
  async answer(asked: PersonAsked): Promise<PersonsAnswer | undefined> {
    if (asked.type === "interrupt") {
      const text = await this.askText("Your answer");
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
    const line = await this.lines.ask("Confirm this decision? (yes or no) ");
    return /^y(?:es)?$/i.test(line?.trim() ?? "");
  }

  /** Ends the asking, as if the person had left. */
  leave(): void {
    this.lines.close();
  }

  private async decide(request: ApprovalRequest, prompt: string): Promise<ApprovalDecision | undefined> {
    let draft = `${seenJson(request.input)}\n`;
    for (;;) {
      const line = await this.lines.ask(withSeenSigns(prompt));
      if (line === undefined) return undefined;
      const [word = "", text = ""] = line.trim().split(/\s+(.*)/s, 2);
      const type = meantBy(word, request.allowed);
      if (type === undefined) {
        this.say(`Type one of these words, or its beginning: ${request.allowed.join(", ")}.`);
        continue;
      }
      const given = text || (await this.askFor(type, draft));
      if (given === undefined) continue;
      if (type === "edit" && given === draft) {
        this.say("Nothing was changed.");
        continue;
      }
      if (type === "edit") draft = given;
      const decision = decisionFrom(type, given, request);
      if (typeof decision !== "string") return decision;
      this.say(decision);
    }
  }

  /** Asks for what a decision needs beside its word. Returns undefined if there is nothing. */
  private async askFor(type: DecisionType, draft: string): Promise<string | undefined> {
    if (type === "approve") return "";
    if (type === "refuse") return (await this.lines.ask("Why? (an empty line gives no reason) "))?.trim();
    if (type === "answer") return this.askText("The answer in place of the result");
    const editor = editorOf(this.io.env);
    if (editor === undefined) return this.askText("The new input, as JSON in one line");
    try {
      return await this.lines.between(false, () => editText(draft, "input.json", editor, this.io.env));
    } catch (error) {
      if (!(error instanceof GlassloopError)) throw error;
      this.say(error.message);
      return undefined;
    }
  }

  /** Asks for a line that is not empty. */
  private async askText(what: string): Promise<string | undefined> {
    for (;;) {
      const line = await this.lines.ask(`${what}: `);
      const text = line?.trim();
      if (text !== "") return text;
    }
  }

  private say(sentence: string): void {
    this.screen.write(`${screenText(sentence)}\n`);
  }
}

/**
 * Runs an action that Ctrl-C stops, with the person at the terminal. There is none if stdin is not a terminal: what it
 * holds was meant for something else.
 */
export function withPerson<T>(
  io: Io,
  run: (person: Person | undefined, interrupted: AbortSignal) => Promise<T>,
): Promise<T> {
  return interruptible(async (interrupted) => {
    if (!io.stdin.isTTY) return run(undefined, interrupted);
    using lines = new LineReader(io, "", interrupted);
    return await run(new Person(lines, io), interrupted);
  });
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
