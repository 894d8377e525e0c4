import type { TurnEvent } from "../../core/run/events.js";
import type { Io, Output } from "../io.js";
import type { AgentOptions } from "../program/options.js";
import { coloursFor } from "../screen/colours.js";
import { jsonLine } from "../screen/screen-text.js";
import { ScreenView, type TurnView } from "../screen/screen-view.js";
import { plainText, type StreamText } from "../screen/text-stream.js";

type ViewOptions = Pick<AgentOptions, "json" | "quiet" | "verbose" | "show">;

/** Makes the view of turns that a command's options ask for. */
export async function viewOf({ json, quiet, verbose, show }: ViewOptions, io: Io, steps: Output): Promise<TurnView> {
  const wantsPrompts = verbose === true;
  if (json) return new JsonView(io.stdout, wantsPrompts);
  const thinking = show === "thinking" && { thinking: steps };
  const streams = quiet ? {} : show === "answer" ? { notes: steps } : { steps, wantsPrompts, ...thinking };
  return new ScreenView({ answer: io.stdout, streamText: await streamTextOn(io), ...streams }, io);
}

/** Returns how texts stand on the terminal. Without colours, the marks of Markdown are easier to read than none. */
async function streamTextOn({ stdout, stderr, env }: Io): Promise<StreamText> {
  const terminal = [stdout, stderr].find(({ isTTY }) => isTTY);
  const colours = terminal && coloursFor(terminal, env);
  if (!terminal || !colours?.isColorSupported) return plainText;
  const { markdownText } = await import("../screen/markdown/markdown-text.js");
  return (label) => markdownText(label, colours, terminal.columns ?? 80);
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
