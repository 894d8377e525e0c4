import type { TurnEvent } from "../../turn/events.js";
import type { Io, Output } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { ScreenView } from "../screen/screen-view.js";
import type { TurnView } from "../screen/turn-view.js";

type ViewOptions = Pick<AgentCommandOptions, "json" | "quiet" | "verbose">;

/** Makes the view of turns that a command's options ask for. */
export function viewOf({ json, quiet, verbose }: ViewOptions, io: Io, steps: Output): TurnView {
  const wantsPrompts = verbose === true;
  if (json) return new JsonView(io.stdout, wantsPrompts);
  return new ScreenView({ answer: io.stdout, ...(quiet ? {} : { steps, wantsPrompts }) }, io);
}

/** A view of turns for programs: one JSON object per event and line. Nothing is shortened. */
export class JsonView implements TurnView {
  constructor(
    private readonly output: Output,
    readonly wantsPrompts = false,
  ) {}

  show({ type, ...event }: TurnEvent): void {
    this.output.write(`${JSON.stringify({ type, ...event })}\n`);
  }
}
