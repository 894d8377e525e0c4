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

/** A scripted model was called more often than its script has replies. */
export class ScriptEndedError extends GlassloopError {
  constructor(
    readonly replies: number,
    readonly lastMessage: string,
  ) {
    const shown = lastMessage.length > 300 ? `… ${lastMessage.slice(-300)}` : lastMessage;
    super(
      `The scripted model was called once too often: its script has ${replies} ${replies === 1 ? "reply" : "replies"}. ` +
        `Add a reply, or find out why the model was asked again. The last message it was sent ends:\n${shown}`,
    );
  }
}

/** Replies of a scripted model were never asked for. */
export class ScriptUnfinishedError extends GlassloopError {
  constructor(
    readonly replies: number,
    readonly calls: number,
  ) {
    super(
      `The scripted model was called ${calls === 1 ? "once" : `${calls} times`}, but its script has ${replies} ` +
        `${replies === 1 ? "reply" : "replies"}: take out the replies that are not needed, or find out why the run ended early.`,
    );
  }
}

/** An expression has no value that the calculator can give. */
export class CalculationError extends GlassloopError {
  constructor(
    readonly expression: string,
    readonly reason: string,
  ) {
    const shown = expression.length > 100 ? `${expression.slice(0, 100)}…` : expression;
    super(`Cannot work out "${shown}": ${reason}. Write one arithmetic expression, such as (54-32)*5/9 or sqrt(25).`);
  }
}
