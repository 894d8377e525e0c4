import type { ApprovalDecision } from "../../turn/approval.js";
import type { TurnEvent } from "../../turn/events.js";
import type { Colours } from "./colours.js";
import { questionLines } from "./question-lines.js";
import { labelled, screenText, shortened } from "./screen-text.js";

/** The events of a turn that are its steps, or lead to them. */
export type StepEvent = Exclude<TurnEvent, { type: "answer" | "answer-delta" | "text-delta" }>;

/** The steps of turns in words. They are the words of the ReAct paper, as in transcripts. */
export class StepLines {
  private readonly toolsAtWork = new Map<string, string>();

  constructor(private readonly colours: Colours) {}

  /** The tools that were called and have not answered yet. */
  get working(): readonly string[] {
    return [...this.toolsAtWork.values()];
  }

  /** Writes the lines for a step. There are none for a question that was not changed. */
  of(event: StepEvent): string {
    switch (event.type) {
      case "question":
        return event.question === event.asked ? "" : labelled(this.colours.dim("Question:"), event.question);
      case "thought":
        return labelled(this.colours.magenta("Thought:"), event.text);
      case "action":
        return this.action(event);
      case "observation":
        return this.observation(event);
      case "approval":
        for (const { id, tool } of event.requests) this.toolsAtWork.set(id, tool);
        return questionLines(event, this.colours);
      case "interrupt":
        return questionLines(event, this.colours);
      case "decision":
        return this.decision(event);
      case "protocol-fallback":
        return labelled(this.colours.dim("Note:"), `The model refused ${event.from}; going on with ${event.to}.`);
    }
  }

  private decision({ id, decision }: Extract<StepEvent, { type: "decision" }>): string {
    const tool = this.toolsAtWork.get(id) ?? id;
    return labelled(this.colours.yellow("Decision:"), `${decision.type} ${tool}${decisionText(decision)}`);
  }

  private action({ id, tool, toolInput }: Extract<StepEvent, { type: "action" }>): string {
    this.toolsAtWork.set(id, tool);
    const input = typeof toolInput === "string" ? toolInput : JSON.stringify(toolInput);
    return labelled(this.colours.cyan("Action:"), tool) + labelled(this.colours.cyan("Action Input:"), input);
  }

  /** Writes an observation, shortened. It names the tool if several tools are at work. */
  private observation({ id = "", text, status }: Extract<StepEvent, { type: "observation" }>): string {
    const label = this.toolsAtWork.size > 1 ? `Observation (${this.toolsAtWork.get(id)}):` : "Observation:";
    this.toolsAtWork.delete(id);
    const colour = status === "error" ? this.colours.red : this.colours.blue;
    return labelled(colour(label), shortened(screenText(text)));
  }
}

/** Writes what a decision says beside its type, after a colon. */
function decisionText(decision: ApprovalDecision): string {
  switch (decision.type) {
    case "approve":
      return "";
    case "edit":
      return `: ${JSON.stringify(decision.input)}`;
    case "refuse":
      return decision.reason ? `: ${decision.reason}` : "";
    case "answer":
      return `: ${decision.answer}`;
  }
}
