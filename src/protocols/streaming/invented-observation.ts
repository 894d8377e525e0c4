import type { Protocol, ToolSpec } from "../protocol.js";
import { protocolWords } from "../reading/label-words.js";
import { labelOfLine } from "../reading/sections/labels.js";

/**
 * Finds an observation that the model invents after a step of its own. The rest of the reply then counts for nothing, and
 * the model can be stopped. Stop texts find one in the form of the prompt. This finds others, such as `**Observation:**`.
 */
export class InventedObservation {
  #line = 0;
  /** The number of times that the parser can still be asked. A reply with more observations is broken. */
  #looksLeft = 20;

  constructor(
    private readonly protocol: Protocol,
    private readonly tools: readonly ToolSpec[],
  ) {}

  /** Takes the whole reply so far. Returns the place of the observation. */
  find(reply: string): number | undefined {
    for (let end = 0; end >= 0; ) {
      end = reply.indexOf("\n", this.#line);
      const line = reply.slice(this.#line, end < 0 ? undefined : end);
      if (this.#line > 0 && this.#isInvented(reply, line)) return this.#line;
      if (end >= 0) this.#line = end + 1;
    }
    return undefined;
  }

  #isInvented(reply: string, line: string): boolean {
    const label = labelOfLine(line, protocolWords);
    if (label?.kind !== "observation" || label.weak || !label.colon || this.#looksLeft === 0) return false;
    this.#looksLeft -= 1;
    // The parser decides: it reads the same step with the observation and without it, whatever follows.
    const observed = `${reply.slice(0, this.#line + label.end)} 1`;
    const readings = [reply.slice(0, this.#line), observed, `${observed}\nSo the final answer is: 2`].map((text) =>
      this.protocol.parse(text, this.tools),
    );
    const [step, ...same] = readings.map((reading) => JSON.stringify(reading));
    return readings[0]?.kind !== "unparseable" && same.every((reading) => reading === step);
  }
}
