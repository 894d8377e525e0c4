/**
 * A mistake that the caller can mend: every error that Glassloop throws on purpose is one. The message says what was
 * wrong and what is possible instead; the fields say it to programs.
 */
export class GlassloopError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The input of a turn cannot be a question: it is empty, misspelt, of another type, or does not end with a human message. */
export class InvalidInputError extends GlassloopError {
  constructor(readonly reason: string) {
    super(
      `${reason} Give { messages: "a question" }, or a list of messages that ends with a human one, such as ` +
        `{ messages: [{ role: "user", content: "a question" }] }.`,
    );
  }
}

/** An option of {@link createAgent} or of one of its parts has a value it cannot have. */
export class InvalidOptionError extends GlassloopError {
  constructor(
    readonly option: string,
    readonly reason: string,
  ) {
    super(`${option}: ${reason}`);
  }
}
