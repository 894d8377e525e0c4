import { answersQuestion } from "../../turn/decision.js";
import type { Io, Output } from "../io.js";
import { AnswerWriter } from "./answer-writer.js";
import { type Colours, coloursFor } from "./colours.js";
import { labelled } from "./screen-text.js";
import { type Waiting, waitingOn } from "./spinner.js";
import { type StepEvent, StepLines } from "./step-lines.js";
import type { ShownEvent, TurnView } from "./turn-view.js";

/** The outputs of a {@link ScreenView}. */
export interface ScreenViewOutputs {
  /** The stream for the steps; undefined to show none. */
  readonly steps?: Output;
  /** The stream for the answer. The answer gets a label if the steps go to the same stream. */
  readonly answer: Output;
}

/** A view of turns for people. It shows each step as it happens, a spinner in between, and the answer as it comes. */
export class ScreenView implements TurnView {
  private readonly lines: StepLines;
  private readonly answer: AnswerWriter;
  private readonly steps: Output | undefined;
  private readonly problems: Output;
  private readonly colours: Colours;
  private readonly waiting: Waiting;

  constructor({ steps, answer }: ScreenViewOutputs, io: Io) {
    this.steps = steps;
    this.problems = steps ?? io.stderr;
    this.colours = coloursFor(this.problems, io.env);
    this.lines = new StepLines(this.colours);
    this.answer = new AnswerWriter(answer, steps === answer ? `${this.label("Answer:", this.colours.green)} ` : "");
    this.waiting = waitingOn(io);
  }

  show(event: ShownEvent): void {
    this.waiting.stop();
    if (event.type !== "answer-delta" && event.type !== "answer") this.answer.endLine();
    this.write(event);
    if (waitsAfter.has(event.type)) this.waiting.start(this.waitingFor());
  }

  private write(event: ShownEvent): void {
    switch (event.type) {
      case "turn-start":
      case "error":
      case "turn-end":
      case "text-delta":
        break;
      case "answer-delta":
        this.answer.push(event.text);
        break;
      case "answer":
        this.writeAnswer(event);
        break;
      default:
        this.writeStep(event);
    }
  }

  /** Writes a step. A question to a person is shown, even if no steps are wanted. */
  private writeStep(event: StepEvent): void {
    const lines = this.lines.of(event);
    const isQuestion = event.type === "approval" || event.type === "interrupt";
    (isQuestion ? this.problems : this.steps)?.write(lines);
  }

  private writeAnswer({ text, stopReason }: Extract<ShownEvent, { type: "answer" }>): void {
    if (answersQuestion[stopReason]) {
      this.answer.finish(text);
      if (stopReason === "length") this.problems.write(this.colours.yellow("The token limit cut this answer off.\n"));
      return;
    }
    this.answer.endLine();
    const word = stopReason === "filtered" ? "Filtered:" : "Stopped:";
    this.problems.write(labelled(this.label(word, this.colours.yellow), text));
  }

  private label(word: string, colour: Colours["green"]): string {
    return this.colours.bold(colour(word));
  }

  private waitingFor(): string {
    const { working } = this.lines;
    return working.length === 0 ? "thinking" : `waiting for ${working.join(", ")}`;
  }
}

/** The events after which the model or a tool is at work. */
const waitsAfter = new Set<ShownEvent["type"]>([
  "turn-start",
  "question",
  "thought",
  "action",
  "decision",
  "observation",
]);
