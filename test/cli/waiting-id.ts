/** Returns the words that name the first call that waits, as a screen shows it. */
export function naming(screen: string): string[] {
  return ["--action", /^ {2}Id: (\S+)$/m.exec(screen)?.[1] ?? ""];
}
