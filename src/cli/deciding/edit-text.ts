import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GlassloopError } from "../../base/errors.js";
import type { Io } from "../io.js";

/** Returns the command of the person's editor; undefined if they have named none. */
export function editorOf({ VISUAL, EDITOR }: Io["env"]): string | undefined {
  return VISUAL || EDITOR || undefined;
}

/** The signals that end a process unless it listens for them. A closed terminal sends SIGHUP. */
const endings = ["SIGHUP", "SIGTERM"] as const;

/**
 * Lets the person change a text in their editor. The text is in a file that only they can read, and that is removed.
 *
 * @param name The name of the file. Its ending tells the editor what is in it.
 * @throws GlassloopError if the editor cannot be run, or ends with an error.
 */
export async function editText(text: string, name: string, editor: string, env: Io["env"]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals) => {
    remove();
    process.off(signal, end);
    process.kill(process.pid, signal);
  };
  const unheard = endings.filter((signal) => process.listenerCount(signal) === 0);
  // Not `once`: a closed terminal sends its signal twice. The second one must not end the process before the file is gone.
  for (const signal of unheard) process.on(signal, end);
  try {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    // A shell reads the command, because it may have options: EDITOR="code --wait".
    const running = spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", env: { ...env } });
    const [exitCode] = await once(running, "close");
    if (exitCode !== 0) {
      const problem = `The editor ended with ${exitCode}, so nothing was changed: ${editor}.`;
      throw new GlassloopError("editor-failed", problem);
    }
    return await readFile(file, "utf8");
  } finally {
    // In this order: with nobody who listens, the next signal ends the process.
    remove();
    for (const signal of unheard) process.off(signal, end);
  }
}
