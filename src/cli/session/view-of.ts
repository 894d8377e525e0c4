import type { TurnEvent } from "../../turn/events.js";
import type { Io, Output } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { ScreenView } from "../screen/screen-view.js";
import type { TurnView } from "../screen/turn-view.js";

/** Makes the view of turns that a command's options ask for. */
export function viewOf({ json, quiet }: Pick<AgentCommandOptions, "json" | "quiet">, io: Io, steps: Output): TurnView {
  if (json) return new JsonView(io.stdout);
  return new ScreenView({ answer: io.stdout, ...(quiet ? {} : { steps }) }, io);
}

/** A view of turns for programs: one JSON object per event and line. Nothing is shortened. */
export class JsonView implements TurnView {
  constructor(private readonly output: Output) {}

  show({ type, ...event }: TurnEvent): void {
    this.output.write(`${JSON.stringify({ type, ...event })}\n`);
  }
}
