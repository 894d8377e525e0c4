import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Returns the command of an editor that runs this code with the path of its file. */
export async function editorThat(code: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "editor of-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(folder, "editor.mjs");
  const start =
    'import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs"; const file = process.argv.at(-1);\n';
  await writeFile(script, `${start}${code}`);
  return `"${process.execPath}" "${script}"`;
}
