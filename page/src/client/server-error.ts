/** The server answered with an error. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = "ServerError";
  }
}

/** Says what went wrong with a request. */
export function sentenceFor(error: unknown): string {
  if (error instanceof ServerError) return error.message;
  // So `fetch` says that nobody answers.
  if (error instanceof TypeError) return "The server does not answer. Try again.";
  return error instanceof Error ? error.message : String(error);
}
