import { withSeenSigns } from "../../base/unseen-signs.js";
import { writeContent } from "../../content/content.js";
import type { EventDetails, PersonAsked } from "../../core/run/events.js";
import type { ApprovalDecision, ApprovalRequest } from "../../core/state/approval.js";
import type { Colours } from "./colours.js";
import { counted, labelled, screenText, shortened } from "./screen-text.js";

/** An event, with its path if it comes from an agent in a tool. */
type Shown = EventDetails & { readonly path?: readonly string[] };
type ShownOf<Type extends Shown["type"]> = Extract<Shown, { readonly type: Type }>;

/** The steps of turns in words. They are the words of the ReAct paper, as in transcripts. */
export class StepLines {
  private readonly toolsAtWork = new Map<string, string>();
  private lastWhy = "";

  constructor(private readonly colours: Colours) {}

  /** The tools that were called and have not answered yet. */
  get working(): readonly string[] {
    return [...this.toolsAtWork.values()];
  }

  /** Writes the lines for an event. There are none for a question that was not changed, and for what is no step. */
  of(event: Shown): string {
    const lines = this.linesOf(event);
    return lines === "" || !event.path?.length ? lines : `${this.colours.dim(`${event.path.join(" > ")} >`)} ${lines}`;
  }

  private linesOf(event: Shown): string {
    switch (event.type) {
      case "question":
        return event.question === event.asked ? "" : labelled(this.colours.dim("Question:"), event.question);
      case "prompt":
        return promptLines(event, this.colours);
      case "reply":
        return replyLines(event, this.colours);
      case "reasoning":
        return labelled(this.colours.dim("Thinking:"), event.text.trim());
      case "thought":
        return labelled(this.colours.magenta("Thought:"), event.text);
      case "action":
        return this.action(event);
      case "observation":
        return this.observation(event);
      case "correction":
        return labelled(this.colours.red("Correction:"), shortened(screenText(event.text)));
      case "retry":
        return this.retry(event);
      case "approval":
        for (const { id, tool } of event.requests) this.toolsAtWork.set(id, tool);
        return questionLines(event, this.colours);
      case "interrupt":
        return questionLines(event, this.colours);
      case "decision":
        return this.decision(event);
      case "model-fallback":
        return labelled(this.colours.dim("Note:"), `${event.from} failed; asking ${event.to}. ${event.why}`);
      case "route":
        return labelled(this.colours.cyan("Route:"), event.retrievers.join(", ") || "no search");
      case "search":
        return labelled(
          this.colours.cyan(`Search (${event.retriever}):`),
          `${shortened(event.query)}${foundText(event)}`,
        );
      case "rerank":
        return labelled(this.colours.dim("Rerank:"), rerankText(event));
      case "grade":
        return labelled(this.colours.dim("Grade:"), `${event.kept} of ${event.kept + event.dropped} passages help.`);
      case "check":
        return labelled(this.colours.dim("Check:"), event.complaint || "The answer follows from the passages.");
      case "files-named":
        return labelled(this.colours.dim("Note:"), `The model is only told what the files are. ${event.why}`);
      case "dropped":
        return labelled(this.colours.dim("Note:"), "The new question took the place of a decision that was missing.");
      case "shortened":
        return labelled(this.colours.dim("Note:"), "The prompt was too long, so its oldest parts were shortened.");
      case "protocol-fallback":
        return labelled(this.colours.dim("Note:"), `The model refused ${event.from}; going on with ${event.to}.`);
      default:
        return "";
    }
  }

  /** Names a new try. Its reason is not told again while it stays the same. */
  private retry({ attempt, why, milliseconds }: ShownOf<"retry">): string {
    const isNew = attempt === 2 || why !== this.lastWhy;
    this.lastWhy = why;
    const which = ordinals[attempt - 2] ?? `${attempt}th`;
    const words = `${which} try in ${Math.round(milliseconds / 1_000)} s.`;
    return labelled(this.colours.dim("Note:"), isNew ? `${words} ${why}` : words);
  }

  private decision({ id, decision }: ShownOf<"decision">): string {
    const tool = this.toolsAtWork.get(id) ?? id;
    return labelled(
      this.colours.yellow("Decision:"),
      withSeenSigns(`${decision.type} ${tool}${decisionText(decision)}`),
    );
  }

  private action({ id, tool, toolInput, by }: ShownOf<"action">): string {
    this.toolsAtWork.set(id, tool);
    const input = typeof toolInput === "string" ? toolInput : JSON.stringify(toolInput);
    return (
      labelled(this.colours.cyan(by ? `Action (${by}):` : "Action:"), withSeenSigns(tool)) +
      labelled(this.colours.cyan("Action Input:"), withSeenSigns(input))
    );
  }

  /** Writes an observation, shortened. It names the tool if several tools are at work. */
  private observation({ id, text, status }: ShownOf<"observation">): string {
    const label = this.toolsAtWork.size > 1 ? `Observation (${this.toolsAtWork.get(id)}):` : "Observation:";
    this.toolsAtWork.delete(id);
    const colour = status === "error" ? this.colours.red : this.colours.blue;
    return labelled(colour(label), shortened(screenText(text)));
  }
}

const ordinals = ["second", "third", "fourth", "fifth"];

function foundText({ found, error }: ShownOf<"search">): string {
  if (error !== undefined) return `: it failed. ${error}`;
  return `: ${counted(found, "passage")}`;
}

function rerankText({ kept, dropped, error }: ShownOf<"rerank">): string {
  return error === undefined ? `${kept} of ${kept + dropped} passages stay.` : `it failed. ${error}`;
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

type Prompt = Pick<EventDetails<"prompt">, "purpose" | "model" | "messages" | "stop" | "tools">;
type Reply = Pick<EventDetails<"reply">, "text" | "toolCalls">;

/** Writes a whole prompt, with what went to the model beside it. */
export function promptLines({ purpose, model, messages, stop, tools }: Prompt, { bold, dim }: Colours): string {
  const notes = [
    purpose === "reply" ? "" : purpose,
    stop.length > 0 ? `stop ${stop.map((text) => JSON.stringify(text)).join(" ")}` : "",
    tools.length > 0 ? `tools ${tools.join(", ")}` : "",
  ].filter((note) => note !== "");
  const title = [`Prompt to ${model}`, ...notes].join("; ");
  const texts = messages.map((message) => `${messages.length > 1 ? `[${message.type}] ` : ""}${messageText(message)}`);
  return `${bold(`${screenText(title)}:`)}\n${dim(screenText(texts.join("\n")))}\n`;
}

/** Writes a whole reply. */
export function replyLines({ text, toolCalls }: Reply, { bold, green }: Colours): string {
  const calls = toolCalls.map(({ name, args }) => withSeenSigns(`${name}(${JSON.stringify(args)})`));
  return `${bold("Reply:")}\n${green(screenText([text, ...calls].filter((part) => part !== "").join("\n")))}\n`;
}

function messageText({ content, toolCalls }: Prompt["messages"][number]): string {
  const calls = Array.isArray(toolCalls) && toolCalls.length > 0 ? `\n${JSON.stringify(toolCalls)}` : "";
  return `${writeContent(content)}${calls}`;
}

/** Writes the lines for a question to a person. Nothing is shortened: the person decides about all of it. */
export function questionLines(asked: PersonAsked, colours: Colours): string {
  if (asked.type === "interrupt") {
    return labelled(colours.yellow("Waiting:"), withSeenSigns(toText(asked.value))) + idLine(asked.interrupt, colours);
  }
  const complaints = asked.complaints.map((complaint) => labelled(colours.red("Not taken:"), complaint));
  return [...complaints, ...asked.requests.map((request) => requestLines(request, colours))].join("");
}

function requestLines({ id, tool, input, note, why, allowed, complaint }: ApprovalRequest, colours: Colours): string {
  return [
    labelled(colours.yellow("Waiting:"), callText(tool, input)),
    complaint === undefined ? "" : labelled(`  ${colours.red("Not taken:")}`, withSeenSigns(complaint)),
    note === undefined ? "" : labelled(`  ${colours.yellow("Note:")}`, withSeenSigns(note)),
    labelled(`  ${colours.dim("Why:")}`, withSeenSigns(why)),
    labelled(`  ${colours.dim("Possible:")}`, allowed.join(", ")),
    idLine(id, colours),
  ].join("");
}

function idLine(id: string, colours: Colours): string {
  return labelled(`  ${colours.dim("Id:")}`, id);
}

/** Writes a call in one line. */
export function callText(tool: string, input: Readonly<Record<string, unknown>>): string {
  return withSeenSigns(`${tool} ${JSON.stringify(input)}`);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "a tool asks for an answer");
}
