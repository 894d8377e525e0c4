import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GlassloopError } from "../../base/errors.js";
import type { Io } from "../io.js";

/** Returns the command of the person's editor; undefined if they have named none. */
export function editorOf({ VISUAL, EDITOR }: Io["env"]): string | undefined {
  return VISUAL || EDITOR || undefined;
}

/**
 * Lets the person change a text in their editor. The text is in a file that only they can read, and that is removed.
 *
 * @throws GlassloopError if the editor cannot be run, or ends with an error.
 */
export async function editText(text: string, editor: string, env: Io["env"]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "glassloop-"));
  try {
    const file = join(folder, "input.json");
    await writeFile(file, text, { mode: 0o600, flag: "wx" });
    // A shell reads the command, because it may have options: EDITOR="code --wait".
    const running = spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", env: { ...env } });
    const [exitCode] = await once(running, "close");
    if (exitCode !== 0)
      throw new GlassloopError(`The editor ended with ${exitCode}, so nothing was changed: ${editor}.`);
    return await readFile(file, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
