import { GlassloopError } from "../../base/errors.js";
import type { PersonAsked } from "../../core/run/events.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { DecisionType } from "../../core/state/decision-types.js";
import type { Io, Output } from "../io.js";
import type { LineReader } from "../screen/line-reader.js";
import { screenText } from "../screen/screen-text.js";
import type { Answerer, PersonsAnswer } from "./answerer.js";
import { decisionFrom, meantBy, readAnswer } from "./decision-words.js";
import { editorOf, editText } from "./edit-text.js";

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

  /** Ends the asking, as if the person had left. */
  leave(): void {
    this.lines.close();
  }

  private async decide(request: ApprovalRequest, prompt: string): Promise<ApprovalDecision | undefined> {
    let draft = `${JSON.stringify(request.input, null, 2)}\n`;
    for (;;) {
      const line = await this.lines.ask(screenText(prompt));
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
    if (type === "answer") return this.askText("The answer in its place");
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
