import { stripVTControlCharacters } from "node:util";
import { expect } from "vitest";
import { main } from "../../src/cli/main.js";
import { FakeKeyboard, fakeIo } from "./fake-io.js";

/** Runs `glassloop` at a terminal: a test types, and waits for what the screen shows next. */
export function atTerminal(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
  const stdin = new FakeKeyboard();
  const io = fakeIo({ stdin, terminal: true, env: { CI: "true", ...env } });
  const ended = main(args, io);
  let seen = 0;
  return {
    io,
    stdin,
    ended,
    async sees(text: string): Promise<void> {
      const screen = () => stripVTControlCharacters(io.stdout.text);
      await expect.poll(() => screen().slice(seen), { timeout: 15_000, interval: 5 }).toContain(text);
      seen = screen().indexOf(text, seen) + text.length;
    },
    /** Types when the screen shows a prompt: that for questions unless given. */
    async type(keys: string, prompt = "> "): Promise<void> {
      await this.sees(prompt);
      stdin.write(keys);
    },
  };
}
