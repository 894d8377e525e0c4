/**
 * What a tool did. The model gives each call a number of its own, and nobody changes it. `by` is in the input, too: it
 * tells who wrote it.
 */
export interface Effect {
  readonly tool: string;
  readonly number: number;
  readonly by: string;
}

/** A decision of a person about the call that they were shown. `about` is who had written its input then. */
export interface Decided {
  readonly type: "approve" | "edit" | "refuse";
  readonly about: string;
  /** Who wrote the input of an edit. */
  readonly by: string;
}

/**
 * One line of the history of a thread, and the effects that are allowed on it. Checkpoints play no part here. A run from a
 * past checkpoint begins another line.
 */
export class Line {
  readonly #done = new Set<string>();
  /** Who wrote the inputs of calls that are still to be made. */
  readonly #written = new Map<number, string>();
  /** The decisions that may count: the last one, and those before it if it may not have arrived. */
  readonly #decided = new Map<number, readonly Decided[]>();
  readonly #results = new Map<number, string>();

  /** @param past The numbers of the calls whose results the line begins with. */
  constructor(readonly past: ReadonlySet<number> = new Set()) {}

  /** Returns the line of a copy of the thread. */
  copy(): Line {
    const line = new Line(this.past);
    for (const call of this.#done) line.#done.add(call);
    for (const [number, by] of this.#written) line.#written.set(number, by);
    for (const [number, decisions] of this.#decided) line.#decided.set(number, decisions);
    for (const [number, result] of this.#results) line.#results.set(number, result);
    return line;
  }

  /** Takes note of the input of a call, as the state has it. */
  write(number: number, by: string): void {
    if (this.writerOf(number) !== by) this.#results.delete(number);
    this.#written.set(number, by);
  }

  writerOf(number: number): string {
    // An agent in the tool of a call makes a call whose number is that of the tool's call and a half.
    return this.#written.get(Math.floor(number)) ?? "model";
  }

  /**
   * Takes note of decisions by the numbers of their calls. Each takes the place of the one before it.
   *
   * @returns A function for when the decisions may not have arrived: then those before them count, too.
   */
  decide(decisions: readonly (readonly [number: number, decided: Decided])[]): () => void {
    const before = decisions.map(([number]) => this.#decided.get(number) ?? []);
    for (const [number, decided] of decisions) this.#decided.set(number, [decided]);
    return () => {
      for (const [n, [number, decided]] of decisions.entries())
        this.#decided.set(number, [...(before[n] ?? []), decided]);
    };
  }

  /** Takes note of an effect. Returns what is wrong with it. */
  take({ tool, number, by }: Effect, asksFirst: boolean): string[] {
    const isGated = asksFirst || this.#decided.has(number);
    const written = this.writerOf(number);
    const call = `${number} ${written}`;
    const wrong = [];
    if (this.#done.has(call)) wrong.push(`${tool} ${number} was done twice`);
    if (this.past.has(number)) wrong.push(`${tool} ${number} was done, although its result was known`);
    this.#done.add(call);
    if (!isGated && by !== written) wrong.push(`${tool} ${number} ran with the input by ${by} and not by ${written}`);
    if (isGated && !this.#isAllowed(number, written, by)) {
      const decisions = (this.#decided.get(number) ?? []).map(({ type, about }) => `${type} of ${about}`).join(", ");
      wrong.push(`${tool} ${number} ran as ${by} wrote it; state: ${written}; decisions: ${decisions || "none"}`);
    }
    return wrong;
  }

  #isAllowed(number: number, written: string, by: string): boolean {
    return (this.#decided.get(number) ?? []).some(
      (decided) =>
        decided.about === written &&
        ((decided.type === "approve" && by === written) || (decided.type === "edit" && by === decided.by)),
    );
  }

  /** Takes note that a call may be made again: its process died before it had stored the call. */
  forget(number: number): void {
    for (const call of this.#done) if (call.startsWith(`${number} `)) this.#done.delete(call);
  }

  /** Takes note of a result that the run has stored. */
  keep(number: number, result: string): void {
    this.#results.set(number, result);
  }

  /** The result of a call, which must not be lost; undefined if there may be none. */
  resultOf(number: number): string | undefined {
    return this.#results.get(number);
  }
}
