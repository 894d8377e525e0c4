import { stripVTControlCharacters } from "node:util";
import { expect, vi } from "vitest";
import { main } from "../../src/cli/main.js";
import { FakeKeyboard, fakeIo } from "./fake-io.js";
import { scriptedServer } from "./scripted-server.js";

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
      // expect.poll needs to know its test, and there are several where tests run beside each other.
      await vi.waitFor(() => expect(screen().slice(seen)).toContain(text), { interval: 5, timeout: 100_000 });
      seen = screen().indexOf(text, seen) + text.length;
    },
    /** Types when the screen shows a prompt: that for questions unless given. */
    async type(keys: string, prompt = "> "): Promise<void> {
      await this.sees(prompt);
      stdin.write(keys);
    },
    /** Types a line when the screen shows a prompt, and waits for each text that it then shows. */
    async enter(line: string, ...shown: readonly string[]): Promise<void> {
      await this.type(`${line}\r`);
      for (const text of shown) await this.sees(text);
    },
    /** Leaves a chat. Returns the exit code. */
    async leave(): Promise<number> {
      await this.enter("/exit");
      return ended;
    },
  };
}

/** Chats with a scripted model at a terminal. Its thread is not kept unless an option names a database. */
export async function chatWith(
  replies: Parameters<typeof scriptedServer>[0],
  more: readonly string[] = [],
  env?: Readonly<Record<string, string>>,
) {
  const model = await scriptedServer(replies);
  const chat = atTerminal(["chat", "--db", "memory:", ...model.options, ...more], env);
  return { ...chat, model, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
}
