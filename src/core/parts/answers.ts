/** What an agent does with its answers. */
export interface Answers {
  /** The name on the agent's messages. Left out if the user gave it none. */
  readonly name?: string;
  /**
   * True if an answer is checked before its turn ends, and the model may be asked for another one. The answer then goes to
   * `messages` as a whole.
   */
  readonly areChecked?: boolean;
}
