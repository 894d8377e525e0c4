/** Returns the message of an error. Code may throw any other value, too: it is written as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
