/**
 * Says in the output which tests are left out, if something that they need is missing.
 *
 * @param has Whether it is there.
 * @param sentence What is left out, and why.
 * @returns `has`.
 * @example describe.runIf(needs(hasTmux, "A chat in a terminal is not tried: there is no tmux."))("a chat in a terminal", …)
 */
export function needs(has: boolean, sentence: string): boolean {
  // Vitest keeps what a passing test writes to the console.
  if (!has) process.stderr.write(`${sentence}\n`);
  return has;
}
