import type { Io, Output } from "../io.js";
import type { AgentCommandOptions } from "../program/agent-command.js";
import { ScreenView } from "../screen/screen-view.js";
import type { TurnView } from "../screen/turn-view.js";
import { JsonView } from "./json-view.js";

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
