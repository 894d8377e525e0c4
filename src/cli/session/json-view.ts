import type { Output } from "../io.js";
import type { ShownEvent, TurnView } from "../screen/turn-view.js";

/** One JSON object per event and line, each with its thread: for programs. Nothing is shortened. */
export class JsonView implements TurnView {
  constructor(
    private readonly thread: string,
    private readonly output: Output,
  ) {}

  show({ type, ...rest }: ShownEvent): void {
    this.output.write(`${JSON.stringify({ type, thread: this.thread, ...rest })}\n`);
  }
}
