/** Returns what an action returns; undefined if it throws. */
export function attempted<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Reads JSON; undefined if the text is none. */
export function parsedJson(text: string): unknown {
  return attempted<unknown>(() => JSON.parse(text));
}
