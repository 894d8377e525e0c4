/** The error of a server that gave no sign of life during a query. */
export class SilentServerError extends Error {
  constructor(readonly limitMs: number) {
    super(`The server was silent for ${limitMs} ms.`);
  }
}
