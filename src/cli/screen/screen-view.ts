import { limitSentence, noAnswer } from "../../core/parts/reached.js";
import type { EventOf, TurnEvent } from "../../core/run/events.js";
import { endOf } from "../../core/state/decision.js";
import type { Citation } from "../../core/state/source.js";
import type { Io, Output } from "../io.js";
import { type Colours, coloursFor } from "./colours.js";
import { LiveText } from "./live-text.js";
import { labelled, screenName } from "./screen-text.js";
import { indexingWords, type Waiting, waitingOn } from "./spinner.js";
import { StepLines } from "./step-lines.js";
import { citationLine, sourceLines, summaryLine } from "./turn-notes.js";
import { wrapped } from "./wrapped.js";

/** A way to show turns. */
export interface TurnView {
  /** True if whole prompts and replies are to be shown, too. */
  readonly wantsPrompts: boolean;
  show(event: TurnEvent): void;
}

/** The outputs of a {@link ScreenView}. */
export interface ScreenViewOutputs {
  /** The stream for the steps; undefined to show none. */
  readonly steps?: Output;
  /** The stream for the answer. The answer gets a label if the steps go to the same stream. */
  readonly answer: Output;
  /** The stream for notes, such as new tries, sources and what the turn cost. Default: that for the steps. */
  readonly notes?: Output | undefined;
  /** True to show whole prompts and replies. They take the place of what was read in the replies. */
  readonly wantsPrompts?: boolean;
  /** The stream for the model's thinking, if it is shown: that for the steps. */
  readonly thinking?: Output;
}

/**
 * A view of turns for people. It shows each step as it happens, a spinner in between, and replies and answers as they
 * come.
 */
export class ScreenView implements TurnView {
  readonly wantsPrompts: boolean;
  private readonly lines: StepLines;
  private readonly showsThinking: boolean;
  private readonly thinking: LiveText;
  /** Reasoning that arrived while a reply was on the screen, to be shown below the reply. */
  private lateThinking = "";
  /** A reply of which nobody knows yet whether it is a thought or the answer. */
  private readonly reply: LiveText;
  private readonly answer: LiveText;
  private readonly steps: Output | undefined;
  private readonly notes: Output | undefined;
  private readonly problems: Output;
  private readonly colours: Colours;
  private readonly waiting: Waiting;
  /** True if the answer is on the screen as a reply. */
  private isAnswerShown = false;
  /** The words on the screen that turned out not to be the answer. */
  private takenBack = "";
  /** They are told under the answer. */
  private citations: readonly Citation[] = [];
  /** What the searches of the turn did not look at. */
  private readonly notSearched = new Set<string>();
  private readonly isOneStream: boolean;
  /** Only a person at a terminal wants to know what a turn cost. */
  private readonly hasSummary: boolean;

  constructor({ steps, answer, thinking, notes = steps, wantsPrompts = false }: ScreenViewOutputs, io: Io) {
    this.wantsPrompts = wantsPrompts;
    this.showsThinking = thinking !== undefined;
    this.steps = steps;
    this.notes = notes;
    this.isOneStream = steps === answer;
    this.problems = notes ?? io.stderr;
    this.hasSummary = answer.isTTY === true;
    const colours = coloursFor(this.problems, io.env);
    this.colours = colours;
    this.lines = new StepLines(colours);
    this.thinking = new LiveText(thinking, { colours, label: colours.dim("Thinking:") });
    this.reply = new LiveText(steps, { colours, label: colours.dim("Reply:"), waitsForLine: true });
    const label = this.isOneStream ? this.label("Answer:", colours.green) : "";
    this.answer = new LiveText(answer, { colours, label });
    this.waiting = waitingOn(io, (words) => notes?.write(labelled(colours.dim("Note:"), words)));
  }

  show(event: TurnEvent): void {
    if (!this.showsThinking && (event.type === "reasoning-delta" || event.type === "reasoning")) return;
    this.waiting.stop();
    // An agent in a tool has steps, too. Its answer is an observation.
    const isInner = event.path.length > 0;
    if (this.wantsPrompts && inReplies.has(event.type)) this.lines.of(event);
    else if (isInner) this.writeStep(event);
    else this.write(event);
    const isInLine = [this.thinking, this.reply, this.answer].some((writer) => writer.isInLine);
    if (!isInLine && (isInner || !endsWork.has(event.type))) this.waiting.start(this.waitingFor(event));
  }

  private write(event: TurnEvent): void {
    if (event.type !== "reasoning-delta") this.thinking.end();
    switch (event.type) {
      case "reasoning-delta":
        if (this.reply.isOpen || this.answer.isOpen) this.lateThinking += event.text;
        else this.thinking.push(event.text);
        break;
      case "reasoning":
        // A terminal has shown its pieces.
        if (!this.steps?.isTTY) this.writeStep(event);
        break;
      case "text-delta":
        this.answer.end();
        this.reply.push(event.text);
        break;
      case "answer-delta":
        this.writePiece(event.text);
        break;
      case "thought":
        this.writeThought(event);
        break;
      case "answer":
        this.writeAnswer(event);
        this.notes?.write(citationLine(this.citations, this.colours));
        this.citations = [];
        this.notes?.write(sourceLines(event.sources ?? [], this.colours));
        this.writeNotSearched(event.text);
        break;
      case "search":
        if (event.notSearched !== undefined) this.notSearched.add(event.notSearched);
        this.writeStep(event);
        break;
      case "citations":
        this.citations = event.citations;
        break;
      case "answer-reset":
        this.isAnswerShown = false;
        this.takenBack = this.answer.text;
        this.answer.settle("not the answer");
        break;
      case "error":
        this.breakOff();
        break;
      case "turn-end":
        this.breakOff();
        this.answer.forget();
        if (this.hasSummary && event.stopReason !== "waiting") this.notes?.write(summaryLine(event, this.colours));
        break;
      default:
        this.writeStep(event);
    }
  }

  private breakOff(): void {
    this.thinking.end();
    this.reply.settle("broken off");
    this.answer.end();
    if (this.lateThinking !== "" && this.steps?.isTTY) {
      this.steps.write(this.lines.of({ type: "reasoning", text: this.lateThinking }));
    }
    this.lateThinking = "";
  }

  /** Writes a piece of the answer. A reply that came before it was the whole answer, or a thought. */
  private writePiece(text: string): void {
    // The answer that comes next says it under another label.
    if (text.startsWith(noAnswer) && !this.answer.isOpen) return;
    const isAnswer = this.reply.shows(text);
    this.reply.settle(isAnswer ? "the answer" : "a thought");
    this.isAnswerShown ||= isAnswer && this.isOneStream;
    if (!this.isAnswerShown) this.answer.push(text);
  }

  private writeThought(event: EventOf<"thought">): void {
    const isShown = this.reply.shows(event.text) || (this.isOneStream && this.takenBack === event.text);
    this.takenBack = "";
    this.reply.settle("a thought");
    if (!isShown) this.writeStep(event);
  }

  /** Writes a step. A question to a person is shown, even if no steps are wanted. */
  private writeStep(event: TurnEvent): void {
    const lines = this.lines.of(event);
    if (lines === "") return;
    this.breakOff();
    const stream = this.streamFor(event);
    stream?.write(sentences.has(event.type) ? wrapped(lines, stream, "  ") : lines);
  }

  private streamFor({ type }: TurnEvent): Output | undefined {
    if (type === "approval" || type === "interrupt") return this.problems;
    return notes.has(type) ? this.notes : this.steps;
  }

  private writeAnswer({ text, stopReason, why }: EventOf<"answer">): void {
    const isShown = this.isAnswerShown;
    this.isAnswerShown = false;
    this.reply.settle("broken off");
    const isBestAnswer = why !== undefined && text !== limitSentence(why);
    if (endOf(stopReason) === "answer" || isBestAnswer) {
      if (!isShown) this.answer.finish(text);
      const note =
        stopReason === "ungrounded" ? "The passages do not confirm this answer" : "The turn ended at a limit";
      if (why) this.problems.write(this.colours.yellow(`${note}: ${screenName(why)}.\n`));
      if (stopReason === "length") this.problems.write(this.colours.yellow("The token limit cut this answer off.\n"));
      return;
    }
    this.answer.end();
    const word = stopReason === "filtered" ? "Filtered:" : "Stopped:";
    this.problems.write(labelled(this.label(word, this.colours.yellow), text));
  }

  /** Writes what was not searched, if the answer does not say so. */
  private writeNotSearched(answer: string): void {
    const told = [...this.notSearched].filter((sentence) => !answer.includes(sentence)).join(" ");
    this.notSearched.clear();
    if (told !== "") this.notes?.write(`${this.colours.dim(screenName(told))}\n`);
  }

  private label(word: string, colour: Colours["green"]): string {
    return this.colours.bold(colour(word));
  }

  private waitingFor(event: TurnEvent): string {
    const { working } = this.lines;
    if (event.type === "indexing") return indexingWords(event);
    if (working.length > 0) return `waiting for ${working.join(", ")}`;
    return this.reply.isOpen || this.answer.isOpen ? "writing" : "thinking";
  }
}

/** The events that a whole reply shows, too. */
const inReplies = new Set<TurnEvent["type"]>(["text-delta", "answer-delta", "thought", "action"]);

/** The events that are told as a sentence. */
const sentences = new Set<TurnEvent["type"]>([
  "retry",
  "model-fallback",
  "files-named",
  "shortened",
  "protocol-fallback",
]);

/** The events that are told even if no steps are. */
const notes = new Set<TurnEvent["type"]>(["retry", "model-fallback", "files-named"]);

/** The events after which neither the model nor a tool is at work. */
const endsWork = new Set<TurnEvent["type"]>(["approval", "interrupt", "answer", "error", "turn-end"]);
