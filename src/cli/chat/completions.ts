import type { Chat } from "./chat.js";
import { slashCommands } from "./slash-commands.js";

/** Finds what a line of a chat can become: names of commands, and ids of threads. */
export async function completions(line: string, { session }: Chat): Promise<string[]> {
  const [, typed] = /^\/threads\s+(\S*)$/.exec(line) ?? [];
  const possible =
    typed === undefined
      ? Object.keys(slashCommands).map((name) => `/${name}`)
      : (await session.threads.list({ limit: 100 })).map(({ id }) => `/threads ${id}`);
  return line.startsWith("/") ? possible.filter((whole) => whole.startsWith(line.replace(/\s+/, " "))) : [];
}
