import type { Protocol, ToolSpec } from "../../protocols/protocol.js";
import type { AnswerDelta } from "../../turn/events.js";

/**
 * A stream of the answer in a reply while the model writes it. It passes on nothing else. The parser of the protocol
 * says whether the text so far leads to an answer. So an answer that the model claims after an action is never shown.
 */
export class AnswerStream {
  private start: number | undefined;
  private sent = 0;
  private searched = 0;

  constructor(
    private readonly protocol: Protocol,
    private readonly tools: readonly ToolSpec[],
    private readonly write: (delta: AnswerDelta) => void,
  ) {}

  /** Takes the whole text of the reply so far. */
  push(text: string): void {
    this.start ??= this.findStart(text);
    if (this.start === undefined) return;
    const end = text.trimEnd().length;
    const begin = this.sent > 0 ? this.sent : end - text.slice(this.start, end).trimStart().length;
    if (end <= begin) return;
    this.write({ type: "answer-delta", text: text.slice(begin, end) });
    this.sent = end;
  }

  private findStart(text: string): number | undefined {
    for (const marker of this.protocol.answerMarkers ?? []) {
      const index = text.indexOf(marker, Math.max(0, this.searched - marker.length));
      if (index >= 0 && this.leadsToAnswer(text.slice(0, index + marker.length))) return index + marker.length;
    }
    this.searched = text.length;
    return undefined;
  }

  private leadsToAnswer(text: string): boolean {
    return this.protocol.parse(`${text} …`, this.tools).kind === "finish";
  }
}
