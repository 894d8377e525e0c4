import type { AgentCommandOptions } from "./agent-command.js";
import type { Io, Output } from "./io.js";
import { JsonView } from "./json-view.js";
import { ScreenView } from "./screen-view.js";
import type { TurnView } from "./turn-view.js";

/** How a command shows its turns: as its options say. */
export function viewOf(
  thread: string,
  { json, quiet }: Pick<AgentCommandOptions, "json" | "quiet">,
  io: Io,
  steps: Output,
): TurnView {
  if (json) return new JsonView(thread, io.stdout);
  return new ScreenView({ answer: io.stdout, ...(quiet ? {} : { steps }) }, io);
}
