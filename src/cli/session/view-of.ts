import type { Io, Output } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { ScreenView } from "../screen/screen-view.js";
import type { ShownEvent, TurnView } from "../screen/turn-view.js";

/** Makes the view of turns that a command's options ask for. */
export function viewOf(
  thread: string,
  { json, quiet }: Pick<AgentCommandOptions, "json" | "quiet">,
  io: Io,
  steps: Output,
): TurnView {
  if (json) return new JsonView(thread, io.stdout);
  return new ScreenView({ answer: io.stdout, ...(quiet ? {} : { steps }) }, io);
}

/** A view of turns for programs: one JSON object per event and line, each with its thread. Nothing is shortened. */
export class JsonView implements TurnView {
  constructor(
    private readonly thread: string,
    private readonly output: Output,
  ) {}

  show({ type, ...rest }: ShownEvent): void {
    this.output.write(`${JSON.stringify({ type, thread: this.thread, ...rest })}\n`);
  }
}
