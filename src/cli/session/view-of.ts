import type { TurnEvent } from "../../core/run/events.js";
import type { Io, Output } from "../io.js";
import type { AgentOptions } from "../program/options.js";
import { jsonLine } from "../screen/screen-text.js";
import { ScreenView, type TurnView } from "../screen/screen-view.js";

type ViewOptions = Pick<AgentOptions, "json" | "quiet" | "verbose" | "show">;

/** Makes the view of turns that a command's options ask for. */
export function viewOf({ json, quiet, verbose, show }: ViewOptions, io: Io, steps: Output): TurnView {
  const wantsPrompts = verbose === true;
  if (json) return new JsonView(io.stdout, wantsPrompts);
  const thinking = show === "thinking" && { thinking: steps };
  const streams = quiet ? {} : show === "answer" ? { notes: steps } : { steps, wantsPrompts, ...thinking };
  return new ScreenView({ answer: io.stdout, ...streams }, io);
}

/** A view of turns for programs: one JSON object per event and line. Nothing is shortened. */
export class JsonView implements TurnView {
  constructor(
    private readonly output: Output,
    readonly wantsPrompts = false,
  ) {}

  show({ type, ...event }: TurnEvent): void {
    this.output.write(jsonLine({ type, ...event }));
  }
}
